import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { type Approval, type ApprovalRequest, SidecarHost } from "../../src/host/SidecarHost.ts"
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
  const onApproval = ({ category }: ApprovalRequest): Approval => {
    const approved = category === "fs_write_workspace"
    screen.say(approved ? "  > y" : "  > n, not in a demonstration")
    return approved ? { approved } : { approved, reason: "not in a demonstration" }
  }
  const host = SidecarHost.spawn({ command: process.execPath, args: [bin], env: model.env, onApproval })
  host.onEvent(screen.show)
  try {
    const { sessionId } = await host.request("start_session", { workingDir })
    for (const text of messages) {
      const { reason } = await host.send(sessionId, text).result
      if (reason === "failed") return 1
    }
    return 0
  } finally {
    await host.shutdown()
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
