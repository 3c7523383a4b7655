import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Grant, Offer } from "../../src/protocol/Grant.ts"
import * as LlamaServer from "../../src/testing/LlamaServer.ts"
import { Bin, StateDir } from "../support/Bin.ts"

const skillText = "---\nname: maker\ndescription: Makes a file\nrequires_scripts: [make.sh]\n---\nRun it.\n"

const world = async () => {
  const server = await LlamaServer.start()
  const dir = new StateDir()
  const home = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "sidecar-home-")))
  const [work, outside] = [Path.join(home, "work"), Path.join(home, "outside")]
  for (const folder of [work, outside]) Fs.mkdirSync(folder)
  Fs.writeFileSync(Path.join(outside, "there.txt"), "there")
  const skill = Path.join(dir.path, "skills/maker")
  Fs.mkdirSync(Path.join(skill, "scripts"), { recursive: true })
  Fs.writeFileSync(Path.join(skill, "SKILL.md"), skillText)
  Fs.writeFileSync(Path.join(skill, "scripts/make.sh"), 'touch "$1"\n')
  /** Two calls for each kind of grant. */
  const calls = [
    ["fs.write", { path: "out/a.txt", content: "a" }],
    ["fs.write", { path: "out/deep/b.txt", content: "b" }],
    ["shell.run", { command: "touch made" }],
    ["shell.run", { command: "touch made more && ls out | head -n 1" }],
    ["fs.read", { path: Path.join(outside, "there.txt") }],
    ["fs.grep", { path: outside, pattern: "there" }],
    ["http.request", { url: `${server.url}/health` }],
    ["http.request", { url: `${server.url}/props`, method: "HEAD" }],
    ["skill.run_script", { skill: "maker", script: "make.sh", args: ["scripted"] }],
    ["skill.run_script", { skill: "maker", script: "make.sh", args: ["again"] }],
    // Never covered.
    ["fs.write", { path: Path.join(dir.path, ".env"), content: "" }],
    ["shell.run", { command: "touch made > log.txt" }]
  ] as const
  const script = Path.join(home, "script.json")
  const toolCalls = calls.map(([name, args]) => ({ name, arguments: args }))
  Fs.writeFileSync(
    script,
    JSON.stringify({
      turns: [{ steps: [{ toolCalls }, { text: "done" }] }, { steps: [{ toolCalls }, { text: "done" }] }]
    })
  )
  Fs.writeFileSync(
    Path.join(dir.path, "config.json"),
    JSON.stringify({
      localModels: { mode: "scripted", script },
      agent: { approvalLevel: 1 },
      http: { hostAllowlist: ["127.0.0.1"] }
    })
  )
  const bin = new Bin(dir, { env: { HOME: home } })
  return {
    bin,
    home,
    work,
    server,
    async [Symbol.asyncDispose]() {
      bin[Symbol.dispose]()
      dir[Symbol.dispose]()
      await server.stop()
      Fs.rmSync(home, { recursive: true, force: true })
    }
  }
}

describe("the bin: grants", () => {
  it("asks once for each kind, and never again in this session; another is asked anew", async () => {
    await using on = await world()
    const { bin, home, work, server } = on
    await bin.request("hello", { extensions: ["grants", "sessions"] })
    const sessionId = await bin.session(work)
    const asked: Array<string> = []
    /** Answers the next question, with its widest offer if it has one. */
    const answerNext = async () => {
      const { payload } = await bin.event("approval_request", (frame) => !asked.includes(frame.payload.approvalId))
      asked.push(payload.approvalId)
      const offers: ReadonlyArray<Offer> = payload.offers ?? []
      const grant = offers.at(-1)?.grant
      const answer = { approvalId: payload.approvalId, approved: true, ...(grant === undefined ? {} : { grant }) }
      assert.deepStrictEqual((await bin.request("approval_response", answer)).payload, { resolved: true })
      return [payload.tool, grant] as const
    }
    const turn = bin.post("send_message", { sessionId, text: "go" })
    const url = new URL(server.url)
    const grants = [
      { kind: "write", path: Path.join(work, "out") },
      { kind: "command", argv: ["touch", "made"] },
      { kind: "read", path: Path.join(home, "outside") },
      { kind: "host", host: url.host },
      { kind: "script", skill: "maker", script: "make.sh" }
    ] satisfies ReadonlyArray<Grant>
    const answers: Array<unknown> = []
    for (let index = 0; index < 7; index++) answers.push(await answerNext())
    assert.deepStrictEqual(answers, [
      ["fs.write", grants[0]],
      ["shell.run", grants[1]],
      ["fs.read", grants[2]],
      ["http.request", grants[3]],
      ["skill.run_script", grants[4]],
      ["fs.write", undefined],
      ["shell.run", undefined]
    ])
    assert.deepInclude((await bin.response(turn)).payload, { reason: "reply" })
    for (const name of ["made", "more", "scripted", "again", "out/a.txt", "out/deep/b.txt", "log.txt"]) {
      assert.isTrue(Fs.existsSync(Path.join(work, name)), name)
    }
    const listed = (await bin.request("list_grants", { sessionId })).payload as { grants: ReadonlyArray<unknown> }
    assert.deepStrictEqual(listed.grants, grants)
    const { turns } = (await bin.request("get_session", { sessionId })).payload as {
      turns: ReadonlyArray<{ kind: string; status?: string; approval?: { verdict: string } }>
    }
    const results = turns.filter(({ kind }) => kind === "tool_result")
    assert.deepStrictEqual(
      results.filter(({ approval }) => approval?.verdict === "granted").map(({ status }) => status),
      ["ok", "ok", "ok", "ok", "ok"]
    )
    const next = await bin.session(work)
    const again = bin.post("send_message", { sessionId: next, text: "go" })
    const { payload } = await bin.event("approval_request", (frame) => frame.payload.sessionId === next)
    assert.deepStrictEqual((await bin.request("list_grants", { sessionId: next })).payload, { grants: [] })
    assert.isFalse(asked.includes(payload.approvalId))
    await bin.request("cancel", { sessionId: next })
    await bin.response(again)
    await bin.end()
  })
})
