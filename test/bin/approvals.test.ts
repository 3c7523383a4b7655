import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { silentFrom } from "../../src/domain/ApprovalPolicy.ts"
import type { ApprovalCategory } from "../../src/protocol/SessionState.ts"
import * as LlamaServer from "../../src/testing/LlamaServer.ts"
import { Bin, StateDir } from "../support/Bin.ts"

/** One call of each category that needs no foreign server. */
const callsIn = (home: string, work: string, state: string, outside: string, url: string) =>
  [
    ["fs_write_workspace", "fs.write", { path: "note.txt", content: "a" }],
    ["fs_write_home", "fs.write", { path: Path.join(home, "note.txt"), content: "a" }],
    ["http", "http.request", { url }],
    ["shell", "shell.run", { command: "touch made" }],
    ["script", "skill.run_script", { skill: "maker", script: "make.sh", args: ["scripted"] }],
    ["trust_config", "fs.write", { path: Path.join(state, ".env"), content: "" }],
    ["fs_read_outside", "fs.read", { path: Path.join(outside, "there.txt") }],
    ["other", "fs.write", { path: Path.join(outside, "note.txt"), content: "a" }]
  ] as const satisfies ReadonlyArray<readonly [ApprovalCategory, string, object]>

const skillText = "---\nname: maker\ndescription: Makes a file\nrequires_scripts: [make.sh]\n---\nRun it.\n"

describe("the bin: approvals", () => {
  it("says that a session waits for an answer, in the list of sessions too", async () => {
    using dir = new StateDir()
    const script = Path.join(dir.path, "script.json")
    const toolCalls = [{ name: "shell.run", arguments: { command: "touch made" } }]
    Fs.writeFileSync(script, JSON.stringify({ turns: [{ steps: [{ toolCalls }, { text: "done" }] }] }))
    Fs.writeFileSync(
      Path.join(dir.path, "config.json"),
      JSON.stringify({ localModels: { mode: "scripted", script }, agent: { approvalLevel: 1 } })
    )
    using bin = new Bin(dir)
    await bin.request("hello", { extensions: ["sessions"] })
    const sessionId = await bin.session(dir.path)
    const turn = bin.post("send_message", { sessionId, text: "go" })
    const { payload } = await bin.event("approval_request")
    const listed = async () => {
      const { sessions } = (await bin.request("list_sessions")).payload as { sessions: Array<{ status: string }> }
      return sessions.map(({ status }) => status)
    }
    assert.deepStrictEqual(await listed(), ["awaiting_approval"])
    await bin.request("approval_response", { approvalId: payload.approvalId, approved: false })
    await bin.response(turn)
    assert.deepStrictEqual(await listed(), ["pending"])
    await bin.end()
  })

  it.each([1, 2, 3, 4, 5])("asks at level %s for exactly the categories of the contract", async (level) => {
    const server = await LlamaServer.start()
    const home = Fs.mkdtempSync(Path.join(Os.tmpdir(), "sidecar-home-"))
    const outside = Fs.mkdtempSync(Path.join(Os.tmpdir(), "sidecar-outside-"))
    const work = Path.join(home, "work")
    Fs.mkdirSync(work)
    Fs.writeFileSync(Path.join(outside, "there.txt"), "there")
    using dir = new StateDir()
    const skill = Path.join(dir.path, "skills/maker")
    Fs.mkdirSync(Path.join(skill, "scripts"), { recursive: true })
    Fs.writeFileSync(Path.join(skill, "SKILL.md"), skillText)
    Fs.writeFileSync(Path.join(skill, "scripts/make.sh"), 'touch "$1"\n')
    try {
      const calls = callsIn(home, work, dir.path, outside, `${server.url}/health`)
      const script = Path.join(home, "script.json")
      const toolCalls = calls.map(([, name, args]) => ({ name, arguments: args }))
      Fs.writeFileSync(script, JSON.stringify({ turns: [{ steps: [{ toolCalls }, { text: "done" }] }] }))
      Fs.writeFileSync(
        Path.join(dir.path, "config.json"),
        JSON.stringify({
          localModels: { mode: "scripted", script },
          agent: { approvalLevel: level },
          http: { hostAllowlist: ["127.0.0.1"] }
        })
      )
      using bin = new Bin(dir, { env: { HOME: home } })
      const sessionId = await bin.session(work)
      const id = bin.post("send_message", { sessionId, text: "go" })
      const expected = calls.map(([category]) => category).filter((category) => level < silentFrom[category])
      const asked: Array<string> = []
      for (let index = 0; index < expected.length; index++) {
        const { payload } = await bin.event("approval_request", (frame) => !asked.includes(frame.payload.approvalId))
        asked.push(payload.approvalId)
        const answer = { approvalId: payload.approvalId, approved: true }
        assert.deepStrictEqual((await bin.request("approval_response", answer)).payload, { resolved: true })
      }
      assert.deepInclude((await bin.response(id)).payload, { reason: "reply" })
      const events = bin.frames.flatMap((frame) => (frame.kind === "event" ? [frame] : []))
      const categories = events.flatMap((event) => (event.type === "approval_request" ? [event.payload.category] : []))
      assert.sameMembers(categories, expected)
      const results = events.flatMap((event) => (event.type === "tool_call_result" ? [event.payload] : []))
      assert.deepStrictEqual(
        results.filter((result) => result.status === "error"),
        []
      )
      for (const made of ["made", "scripted", "note.txt"]) assert.isTrue(Fs.existsSync(Path.join(work, made)), made)
      assert.isTrue(Fs.existsSync(Path.join(outside, "note.txt")))
      await bin.end()
    } finally {
      await server.stop()
      for (const folder of [home, outside]) Fs.rmSync(folder, { recursive: true, force: true })
    }
  })

  it.each(["end of input", "cancel"] as const)("leaves nothing behind where %s comes while it asks", async (way) => {
    using dir = new StateDir()
    const script = Path.join(dir.path, "script.json")
    const toolCalls = [{ name: "shell.run", arguments: { command: "touch never" } }]
    Fs.writeFileSync(script, JSON.stringify({ turns: [{ steps: [{ toolCalls }, { text: "done" }] }] }))
    Fs.writeFileSync(Path.join(dir.path, "config.json"), JSON.stringify({ localModels: { mode: "scripted", script } }))
    using bin = new Bin(dir)
    const sessionId = await bin.session(dir.path)
    const id = bin.post("send_message", { sessionId, text: "go" })
    const { approvalId } = (await bin.event("approval_request")).payload
    if (way === "cancel") {
      await bin.request("cancel", { sessionId })
      const late = await bin.request("approval_response", { approvalId, approved: true })
      assert.deepStrictEqual(late.payload, { resolved: false })
    }
    await bin.end()
    const response = bin.frames.find((frame) => frame.kind === "response" && frame.correlationId === id)
    assert.deepInclude(response?.payload, { reason: "cancelled" })
    assert.isFalse(Fs.existsSync(Path.join(dir.path, "never")))
  })
})
