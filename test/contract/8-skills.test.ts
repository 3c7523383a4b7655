import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { Entry } from "../../src/domain/Transcript.ts"
import type { SidecarResponse } from "../../src/protocol/Frame.ts"
import type { SessionState } from "../../src/protocol/SessionState.ts"
import { type ModelCall, toolCall } from "../../src/testing/GatedModel.ts"
import { type Place, place, skillText } from "../skills/folders.ts"
import { type Setup, type Stage, stage, types } from "../support/Sidecar.ts"

interface Scene extends Stage, Place {
  /** Starts a session in the project. */
  readonly start: Effect.Effect<string>
  readonly install: (folder: string, force?: boolean) => Effect.Effect<SidecarResponse>
  readonly skills: Effect.Effect<unknown>
  /** A turn of one step; what the model was asked. */
  turn(sessionId: string, text: string): Effect.Effect<ModelCall["request"]>
}

const scene = Effect.fnUntraced(function* (config: Setup["config"] = {}) {
  const here = yield* place
  const staged = yield* stage({ config: { stateDir: here.stateDir, ...config } })
  const { host, model, send } = staged
  const whole: Scene = {
    ...here,
    ...staged,
    start: Effect.map(
      host.request("start_session", { workingDir: here.project }),
      (response) => (response.payload as { sessionId: string }).sessionId
    ),
    install: (folder, force) =>
      host.request("skill_install", {
        sourcePath: Path.join(here.root, folder),
        ...(force === undefined ? {} : { force })
      }),
    skills: Effect.map(host.request("skill_list"), (response) => (response.payload as { skills: unknown }).skills),
    turn: Effect.fnUntraced(function* (sessionId, text) {
      const sent = yield* Effect.forkChild(send(sessionId, text))
      const call = yield* model.next
      // The history itself goes on growing.
      const request = { ...call.request, history: [...call.request.history] }
      call.answer("ok")
      yield* Fiber.join(sent)
      return request
    })
  }
  return whole
})

const why = (response: SidecarResponse) => (response.ok ? "ok" : `${response.error.code}: ${response.error.message}`)

const notices = (history: ReadonlyArray<Entry>) =>
  history.flatMap((entry) => (entry.kind === "notice" ? [entry.text] : []))

/** The prompt's last message, with all that the model hears in it. */
const lastWords = (history: ReadonlyArray<Entry>) =>
  history.slice(-2).map((entry) => (entry.kind === "user" || entry.kind === "notice" ? entry.text : entry.kind))

describe("contract 8, without a session", () => {
  it.effect("the list is empty, and nothing can be installed or removed", () =>
    Effect.gen(function* () {
      const { host, install, plant, skills, tree } = yield* scene()
      plant({ "source/SKILL.md": skillText("pdf"), "state/skills/ab/SKILL.md": skillText("ab") })
      assert.deepStrictEqual(yield* skills, [])
      assert.strictEqual(
        why(yield* install("source")),
        "handler_failed: skill_install needs a session: send start_session first"
      )
      assert.strictEqual(
        why(yield* host.request("skill_uninstall", { name: "ab" })),
        "handler_failed: skill_uninstall needs a session: send start_session first"
      )
      assert.deepStrictEqual(tree("state"), ["skills", "skills/ab", "skills/ab/SKILL.md"])
      assert.notInclude(types(host.frames), "skill_registry_updated")
    })
  )
})

describe("contract 8, the requests", () => {
  it.effect("list what the session's directory can use", () =>
    Effect.gen(function* () {
      const { host, plant, root, skills, start } = yield* scene({ skills: { disabled: ["off"] } })
      plant({
        "state/skills/global/SKILL.md": skillText("global", "version: 1.2.3"),
        "state/skills/both/SKILL.md": skillText("both"),
        "state/skills/off/SKILL.md": skillText("off"),
        "project/.atomic-agent/skills/both/SKILL.md": skillText("both", "version: 2.0.0")
      })
      yield* start
      assert.deepStrictEqual(yield* skills, [
        { name: "both", version: "2.0.0", description: "Does both.", source: "project" },
        { name: "global", version: "1.2.3", description: "Does global.", source: "global" }
      ])
      yield* host.request("start_session", { workingDir: root })
      assert.deepStrictEqual(yield* skills, [
        { name: "both", version: "0.0.0", description: "Does both.", source: "global" },
        { name: "global", version: "1.2.3", description: "Does global.", source: "global" }
      ])
    })
  )

  it.effect("install and remove, and tell what there is then before they answer", () =>
    Effect.gen(function* () {
      const { global, host, install, plant, skills, start } = yield* scene()
      plant({
        "source/SKILL.md": skillText("pdf"),
        "project/.atomic-agent/skills/own/SKILL.md": skillText("own")
      })
      yield* start
      const installed = yield* install("source")
      assert.deepStrictEqual(installed.payload, { name: "pdf", installedAt: Path.join(global, "pdf") })
      assert.deepStrictEqual(types(host.frames.slice(-2)), ["skill_registry_updated", "response"])
      assert.deepInclude(host.frames.at(-2), {
        payload: {
          installed: [
            { name: "own", source: "project" },
            { name: "pdf", source: "global" }
          ]
        }
      })
      const removed = yield* host.request("skill_uninstall", { name: "pdf" })
      assert.deepStrictEqual(removed.payload, { removed: true })
      assert.deepStrictEqual(types(host.frames.slice(-2)), ["skill_registry_updated", "response"])
      assert.deepInclude(host.frames.at(-2), { payload: { installed: [{ name: "own", source: "project" }] } })
      assert.isFalse(Fs.existsSync(Path.join(global, "pdf")))
      assert.deepStrictEqual(yield* skills, [
        { name: "own", version: "0.0.0", description: "Does own.", source: "project" }
      ])
    })
  )

  it.effect("say false where the skill is absent or the project's", () =>
    Effect.gen(function* () {
      const { host, plant, start, tree } = yield* scene()
      plant({ "project/.atomic-agent/skills/own/SKILL.md": skillText("own") })
      yield* start
      for (const name of ["own", "absent"]) {
        assert.deepStrictEqual((yield* host.request("skill_uninstall", { name })).payload, { removed: false })
        assert.deepStrictEqual(types(host.frames.slice(-2)), ["skill_registry_updated", "response"])
      }
      assert.include(tree("project"), ".atomic-agent/skills/own/SKILL.md")
    })
  )

  it.effect("check a name before anything is deleted", () =>
    Effect.gen(function* () {
      const { host, plant, start, tree } = yield* scene()
      plant({ "state/x/keep": "", "state/skills/ab/SKILL.md": skillText("ab") })
      yield* start
      const before = tree("state")
      for (const name of ["../x", "..", "", "/", "ab/", "AB"]) {
        const refused = why(yield* host.request("skill_uninstall", { name }))
        assert.match(refused, /^handler_failed: payload.name: expected 2 to 64 of a-z, 0-9 and -/)
      }
      assert.deepStrictEqual(tree("state"), before)
      assert.notInclude(types(host.frames), "skill_registry_updated")
    })
  )

  it.effect("install a second time only with force", () =>
    Effect.gen(function* () {
      const { install, plant, skills, start, tree } = yield* scene()
      plant({ "one/SKILL.md": skillText("pdf"), "two/SKILL.md": skillText("pdf", "version: 2.0.0") })
      yield* start
      yield* install("one")
      for (const force of [undefined, false]) {
        assert.match(why(yield* install("two", force)), /^handler_failed: the skill pdf is installed already/)
      }
      const version = Effect.map(skills, (all) => (all as ReadonlyArray<{ version: string }>)[0]?.version)
      assert.strictEqual(yield* version, "0.0.0")
      assert.isTrue((yield* install("two", true)).ok)
      assert.strictEqual(yield* version, "2.0.0")
      assert.deepStrictEqual(tree("state/skills"), ["pdf", "pdf/SKILL.md"])
    })
  )

  it.effect("refuse what is no skill, tell why, and leave nothing half-installed", () =>
    Effect.gen(function* () {
      const { host, install, plant, root, start, tree } = yield* scene()
      plant({
        "state/skills/": "",
        "climbing/SKILL.md": skillText("../evil"),
        "broken/SKILL.md": "---\nname: [\n---\n",
        "leaking/SKILL.md": skillText("leaking"),
        "large/SKILL.md": skillText("large"),
        "large/x": new Uint8Array(70 * 1024 * 1024)
      })
      Fs.symlinkSync("/etc/passwd", Path.join(root, "leaking/x"))
      yield* start
      for (const [folder, reason] of [
        ["climbing", /name: expected 2 to 64 .*got "\.\.\/evil"/],
        ["broken", /not valid YAML/],
        ["leaking", /x is a link to \/etc\/passwd, which is not in the skill/],
        ["large", /more than 64 MiB/],
        ["absent", /payload.sourcePath: expected a folder with a SKILL.md in it/]
      ] as const) {
        assert.match(why(yield* install(folder)), reason)
      }
      assert.deepStrictEqual(tree("state"), ["skills"])
      assert.notInclude(types(host.frames), "skill_registry_updated")
    })
  )

  it.effect("are answered each once, however many are sent at once", () =>
    Effect.gen(function* () {
      const { host, plant, root, start, tree } = yield* scene()
      plant({ "source/SKILL.md": skillText("pdf") })
      yield* start
      const sourcePath = Path.join(root, "source")
      const sent = Array.from({ length: 12 }, (_, index) =>
        index % 3 === 2
          ? host.post("skill_uninstall", { name: "pdf" })
          : host.post("skill_install", { sourcePath, force: index % 3 === 1 })
      )
      const answers = yield* Effect.all(sent)
      assert.deepStrictEqual(
        answers.map((answer) => (answer.ok ? answer.payload : "failed")),
        Array.from({ length: 12 }, (_, index) => (index % 3 === 2 ? { removed: true } : answers[0]?.payload))
      )
      assert.deepStrictEqual(tree("state"), ["skills"])
    })
  )

  it.effect("finish what they have begun when the input ends", () =>
    Effect.gen(function* () {
      const { host, plant, root, start, tree } = yield* scene()
      plant({ "source/SKILL.md": skillText("pdf"), "source/a/b": "" })
      yield* start
      const installing = host.post("skill_install", { sourcePath: Path.join(root, "source") })
      yield* host.end
      assert.isTrue((yield* installing).ok)
      assert.deepStrictEqual(tree("state/skills"), ["pdf", "pdf/SKILL.md", "pdf/a", "pdf/a/b"])
    })
  )
})

describe("contract 8, the model", () => {
  it.effect("is told one line a skill in the system prompt, and has the tools", () =>
    Effect.gen(function* () {
      const { plant, start, turn } = yield* scene()
      plant({
        "state/skills/ab/SKILL.md": skillText("ab"),
        "state/skills/cd/SKILL.md": `---\nname: cd\ndescription: "Two\\nlines \u2028 and {{more}}"\n---\n`
      })
      const { system, tools } = yield* turn(yield* start, "hi")
      assert.include(system, "\n- ab: Does ab.\n- cd: Two lines and {{more}}")
      assert.includeMembers(
        tools.map(({ name }) => name),
        ["skill.view", "skill.run_script"]
      )
    })
  )

  it.effect("reads a skill, which the session then says it has loaded, once", () =>
    Effect.gen(function* () {
      const { host, model, plant, send, start } = yield* scene()
      const text = `${skillText("pdf", "version: 1.0.0")}Line\u2028separated\u2029words.\n`
      plant({ "state/skills/pdf/SKILL.md": text })
      const sessionId = yield* start
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      const views = [toolCall("skill.view", { name: "pdf" }), toolCall("skill.view", { name: "none" })]
      ;(yield* model.next).finish(views)
      const second = yield* model.next
      const results = second.request.history.flatMap((entry) => (entry.kind === "tool_result" ? [entry] : []))
      assert.deepStrictEqual(results.map(({ status }) => status).toSorted(), ["error", "ok"])
      assert.isTrue(results.find(({ status }) => status === "ok")?.summary.endsWith(`\n\n${text}`))
      const loaded = Effect.map(
        host.request("get_session", { sessionId }),
        (response) => (response.payload as SessionState).loadedSkills
      )
      const [first, ...others] = yield* loaded
      assert.deepInclude(first, { name: "pdf", version: "1.0.0" })
      assert.isNumber(first?.loadedAt)
      assert.deepStrictEqual(others, [])
      plant({ "state/skills/pdf/SKILL.md": skillText("pdf", "version: 1.1.0") })
      second.finish([toolCall("skill.view", { name: "pdf" })])
      ;(yield* model.next).answer("done")
      yield* Fiber.join(sent)
      assert.deepStrictEqual(
        (yield* loaded).map(({ name, version }) => [name, version]),
        [["pdf", "1.1.0"]]
      )
      assert.strictEqual(types(host.frames).filter((type) => type === "approval_request").length, 0)
    })
  )

  it.effect("runs a script when the host has allowed it", () =>
    Effect.gen(function* () {
      const { global, host, model, plant, send, start } = yield* scene()
      plant({
        "state/skills/pdf/SKILL.md": skillText("pdf", "requires_scripts: [go.sh]"),
        "state/skills/pdf/scripts/go.sh": "echo went $1"
      })
      const sessionId = yield* start
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      ;(yield* model.next).finish([toolCall("skill.run_script", { skill: "pdf", script: "go.sh", args: ["far"] })])
      const { payload } = yield* host.event("approval_request")
      const script = Path.join(global, "pdf/scripts/go.sh")
      assert.deepInclude(payload, { category: "script", tool: "skill.run_script", preview: `/bin/sh ${script} far` })
      assert.deepStrictEqual(payload.affectedResources, [script])
      yield* host.request("approval_response", { approvalId: payload.approvalId, approved: true })
      const second = yield* model.next
      assert.deepInclude(second.request.history.at(-1), { status: "ok", summary: "exit code 0\nwent far" })
      second.answer("done")
      yield* Fiber.join(sent)
    })
  )

  it.effect("hears of a change with the next turn, in a system prompt that stays as it is", () =>
    Effect.gen(function* () {
      const { host, install, plant, start, turn } = yield* scene()
      plant({ "source/SKILL.md": skillText("pdf"), "state/skills/ab/SKILL.md": skillText("ab") })
      const sessionId = yield* start
      const first = yield* turn(sessionId, "one")
      assert.deepStrictEqual(notices(first.history), [])
      yield* install("source")
      const second = yield* turn(sessionId, "two")
      assert.strictEqual(second.system, first.system)
      assert.deepStrictEqual(lastWords(second.history), [
        "[The skills have changed. There are now these, and no others:\n- ab: Does ab.\n- pdf: Does pdf.]",
        "two"
      ])
      assert.deepStrictEqual(lastWords((yield* turn(sessionId, "three")).history), ["assistant_reply", "three"])
      for (const name of ["ab", "pdf"]) yield* host.request("skill_uninstall", { name })
      const fourth = yield* turn(sessionId, "four")
      assert.deepStrictEqual(lastWords(fourth.history), ["[The skills have changed. There are none any more.]", "four"])
      assert.strictEqual(fourth.system, first.system)
      const { turns } = (yield* host.request("get_session", { sessionId })).payload as SessionState
      assert.deepStrictEqual(
        turns.flatMap((record) => (record.kind === "user" ? [record.text] : [])),
        ["one", "two", "three", "four"]
      )
    })
  )

  it.effect("hears of a change that others have made on the disk, and of one that was undone nothing", () =>
    Effect.gen(function* () {
      const { plant, root, start, turn } = yield* scene()
      const sessionId = yield* start
      plant({ "project/.atomic-agent/skills/own/SKILL.md": skillText("own") })
      assert.match(lastWords((yield* turn(sessionId, "one")).history)[0] ?? "", /- own: Does own\./)
      Fs.renameSync(Path.join(root, "project/.atomic-agent"), Path.join(root, "aside"))
      Fs.renameSync(Path.join(root, "aside"), Path.join(root, "project/.atomic-agent"))
      assert.deepStrictEqual(lastWords((yield* turn(sessionId, "two")).history), ["assistant_reply", "two"])
    })
  )

  it.effect("hears in a resumed session only what neither the prompt nor the history says", () =>
    Effect.gen(function* () {
      const { host, install, plant, start, turn } = yield* scene()
      plant({ "source/SKILL.md": skillText("pdf") })
      yield* host.request("hello", { extensions: ["sessions"] })
      const sessionId = yield* start
      yield* install("source")
      yield* turn(sessionId, "one")
      yield* start
      yield* host.request("resume_session", { sessionId })
      const same = yield* turn(sessionId, "two")
      assert.lengthOf(notices(same.history), 1)
      assert.include(same.system, "- pdf: Does pdf.")
      yield* host.request("skill_uninstall", { name: "pdf" })
      yield* host.request("resume_session", { sessionId })
      const other = yield* turn(sessionId, "three")
      assert.notInclude(other.system, "pdf")
      assert.strictEqual(notices(other.history).at(-1), "[The skills have changed. There are none any more.]")
    })
  )
})
