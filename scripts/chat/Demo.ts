import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import type { SidecarEvent } from "../../src/protocol/Event.ts"
import { connect } from "./Client.ts"
import type { Model } from "./Model.ts"
import type { Screen } from "./Screen.ts"

const messages = [
  "What is in this folder?",
  "What is still to do? Look for open ends in the files.",
  "Thank you, that is all."
]

/** Plays a conversation in a folder of its own, where writing does no harm. Answers the code to exit with. */
export const playDemo = async (bin: string, model: Model, screen: Screen): Promise<number> => {
  const workingDir = makeFolder()
  process.once("exit", () => Fs.rmSync(workingDir, { recursive: true, force: true }))
  const onEvent = (event: SidecarEvent) => {
    screen.show(event)
    if (event.type === "approval_request") void answer(event.payload.approvalId, event.payload.category)
  }
  const client = connect({ bin, env: model.env, onEvent })
  const answer = async (approvalId: string, category: string | undefined) => {
    const approved = category === "fs_write_workspace"
    screen.say(approved ? "  > y" : "  > n, not in a demonstration")
    const reason = approved ? {} : { reason: "not in a demonstration" }
    await client.request("approval_response", { approvalId, approved, ...reason })
  }
  try {
    const { sessionId } = await client.request("start_session", { workingDir })
    for (const text of messages) {
      const { reason } = await client.request("send_message", { sessionId, text })
      if (reason === "failed") return 1
    }
    return 0
  } finally {
    await client.close()
  }
}

const makeFolder = (): string => {
  const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "atomic-agent-demo-"))
  const files = {
    "README.md": "# Moon garden\n\nA plan for growing tomatoes where the sun shines for two weeks at a time.\n",
    "notes.md": "- [x] choose a crater\n- [ ] order seeds\n- [ ] find out who waters them at night\n",
    "src/water.ts": "// TODO: how much of it freezes?\nexport const litresPerDay = (plants: number) => plants * 0.4\n"
  }
  for (const [path, text] of Object.entries(files)) {
    Fs.mkdirSync(Path.dirname(Path.join(folder, path)), { recursive: true })
    Fs.writeFileSync(Path.join(folder, path), text)
  }
  return folder
}
