import { lstat, readFile, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { attempt } from "../../../src/files/FileErrors.ts"
import { refuse } from "../../../src/files/Refused.ts"
import * as ToolConformance from "./ToolConformance.ts"
import * as Tool from "../../../src/tools/Tool.ts"
import { Toolbox } from "../../../src/tools/Toolbox.ts"
import { readNeed, Workspace, writeNeed } from "../../../src/tools/Workspace.ts"
import { absurd } from "./absurd.ts"
import { cases } from "./cases.ts"
import { toolbox, toolsIn } from "../fixture.ts"
import { naiveMove } from "./NaiveMove.ts"

const server = Effect.acquireRelease(
  Effect.callback<ReturnType<typeof createServer>>((resume) => {
    const running = createServer((_, response) => response.end("answered"))
    running.listen(0, "127.0.0.1", () => resume(Effect.succeed(running)))
  }),
  (running) => Effect.sync(() => running.close())
).pipe(Effect.map((running) => `http://127.0.0.1:${(running.address() as AddressInfo).port}/`))

/** The breaches of some tools alone. */
const breaches = (
  tools: (workspace: Workspace["Service"]) => ReadonlyArray<Tool.Tool>,
  cases: ToolConformance.ToolConformanceOptions["cases"]
) =>
  ToolConformance.check({
    cases,
    toolbox: Layer.unwrap(Effect.map(Workspace, (workspace) => Toolbox.layerWith(tools(workspace))))
  })

describe("every built-in tool", () => {
  it.effect("has a case", () =>
    Effect.gen(function* () {
      const { specs } = yield* toolsIn("/")
      assert.sameMembers(
        Object.keys(cases("http://127.0.0.1/")),
        specs.map(({ name }) => name),
        "test/tools/conformance/cases.ts has a case for each tool"
      )
    }).pipe(Effect.provide(toolbox()))
  )

  it.effect(
    "keeps the rules of tools",
    () =>
      Effect.gen(function* () {
        const url = yield* server
        const config = { http: { hostAllowlist: ["127.0.0.1"] } }
        assert.deepStrictEqual(yield* ToolConformance.check({ cases: cases(url), config, absurd }), [])
      }).pipe(Effect.scoped),
    120_000
  )
})

/** A tool that does something at a path and asks as it should, or asks nobody. */
const carelessTool = (
  workspace: Workspace["Service"],
  work: (path: string) => Promise<string>,
  more: { readonly reads?: boolean; readonly asksNobody?: boolean } = {}
) =>
  Tool.make({
    name: "app.careless",
    description: "",
    parameters: Schema.Struct({ path: Schema.String }),
    reads: more.reads ?? false,
    plan: Effect.fnUntraced(function* ({ path }, context) {
      const location = yield* more.reads ? workspace.reading(path, context) : workspace.writing(path, context)
      const run = attempt(async () => ({ text: await work(location.real) }))
      if (more.reads) return { ...readNeed(location, "read it"), run }
      return more.asksNobody ? { run } : { need: writeNeed([location], "write it", "what comes into it"), run }
    })
  })

/** A tool that asks for what it can do, and tells at once why it cannot do the rest. */
const hastyTool = (workspace: Workspace["Service"], answer: "refusal" | "result") =>
  Tool.make({
    name: "app.hasty",
    description: "",
    parameters: Schema.Struct({ path: Schema.String }),
    reads: false,
    plan: Effect.fnUntraced(function* ({ path }, context) {
      const location = yield* workspace.writing(path, context)
      const stats = yield* attempt(() => lstat(location.real).catch(() => undefined))
      if (stats?.isFile() !== true) {
        const run = refuse(stats === undefined ? "it does not exist" : "it is a directory")
        return answer === "refusal" ? yield* run : { run }
      }
      return { need: writeNeed([location], "touch it", "nothing"), run: Effect.succeed({ text: "touched" }) }
    })
  })

describe("the conformance check", () => {
  it.effect("lists what is wrong with a naive fs.move", () =>
    Effect.gen(function* () {
      const all = yield* breaches((workspace) => [naiveMove(workspace)], {
        "fs.move": [{ args: { from: "old.txt", to: "new.txt" }, paths: { from: "writes", to: "writes" } }]
      })
      const isKept = "fs_write_workspace (asks at 1)"
      assert.sameMembers(
        all.map(({ detail, rule }) => `${rule}: ${detail}`),
        [
          `asks: its category is ${isKept} instead of fs_write_home (asks at 1, 2)`,
          `asks: its category is ${isKept} instead of other (asks at 1, 2, 3, 4)`,
          `asks: its category is ${isKept} instead of trust_config (asks at 1, 2, 3, 4)`,
          "shows: the question has no preview",
          "shows: the question does not name all that is affected",
          "keeps: it changes files that the question does not name",
          "changed: it is done all the same",
          "changed: it changes files"
        ]
      )
      assert.deepStrictEqual(
        all.filter(({ rule }) => rule === "asks").flatMap(({ where }) => where),
        [
          "from in the home directory",
          "from in the parent directory",
          "from in a link to the home directory",
          "from outside",
          "from in a link that leads outside",
          "from in a skill of the project",
          "from in a skill of the user",
          "from in links to the sidecar's settings"
        ]
      )
      assert.deepStrictEqual(all.find(({ detail }) => detail === "it is done all the same")?.where, [
        "from becomes a link that leads outside",
        "from lies in a folder that becomes a link that leads outside",
        "from gets another content",
        "from becomes a folder",
        "to becomes a link that leads outside",
        "to lies in a folder that becomes a link that leads outside",
        "to comes into being"
      ])
    })
  )

  const careless: ReadonlyArray<
    readonly [
      name: string,
      tool: (workspace: Workspace["Service"]) => Tool.Tool,
      use: ToolConformance.PathUse,
      expected: ReadonlyArray<string>
    ]
  > = [
    [
      "that asks nobody",
      (workspace) => carelessTool(workspace, async (path) => `${path}`, { asksNobody: true }),
      "writes",
      ["asks: its category is none instead of fs_write_workspace (asks at 1)"]
    ],
    [
      "that writes into the old file",
      (workspace) => carelessTool(workspace, (path) => writeFile(path, "new").then(() => "written")),
      "writes",
      ["keeps: it writes into a file instead of replacing it", "changed: it is done all the same"]
    ],
    [
      "that writes and is said to read",
      (workspace) => carelessTool(workspace, (path) => writeFile(path, "new").then(() => "written"), { reads: true }),
      "reads",
      ["keeps: it changes files and asks nobody"]
    ],
    [
      "that follows a link to what nobody was asked about",
      (workspace) => carelessTool(workspace, (path) => readFile(path, "utf8"), { reads: true }),
      "reads",
      ["links: it shows what lies outside"]
    ],
    [
      "that dies of what it is given",
      (workspace) =>
        carelessTool(workspace, async (path) => {
          if (path.endsWith("$(x)")) throw new Error("a bug")
          return "done"
        }),
      "writes",
      ["absurd: it dies: Error: a bug"]
    ]
  ]

  it.effect.each(careless)("knows a tool %s", ([, tool, use, expected]) =>
    Effect.gen(function* () {
      const all = yield* breaches((workspace) => [tool(workspace)], {
        "app.careless": [{ args: { path: "old.txt" }, paths: { path: use } }]
      })
      assert.includeMembers(
        all.map(({ detail, rule }) => `${rule}: ${detail}`),
        [...expected]
      )
    })
  )

  it.effect.each(["refusal", "result"] as const)("knows a tool that tells by a %s what is outside", (answer) =>
    Effect.gen(function* () {
      const all = yield* breaches((workspace) => [hastyTool(workspace, answer)], {
        "app.hasty": [{ args: { path: "old.txt" }, paths: { path: "writes" } }]
      })
      const [breach, ...others] = all.filter(({ rule }) => rule === "unasked")
      assert.deepStrictEqual(others, [])
      assert.strictEqual(breach?.detail, "what it tells before anybody is asked depends on what is outside")
      assert.sameMembers(
        [...(breach?.where ?? [])],
        [
          "in the home directory",
          "in the parent directory",
          "in a link to the home directory",
          "outside",
          "in a link that leads outside",
          "in links to the sidecar's settings"
        ].flatMap((place) =>
          ["nothing", "a folder", "a link to a folder", "a link to nothing"].map((what) => `path ${place}: ${what}`)
        )
      )
    })
  )

  it.effect("knows no tool that is not there", () =>
    Effect.gen(function* () {
      const all = yield* ToolConformance.check({ cases: { "fs.gone": [{ args: {} }] } })
      assert.deepStrictEqual(all, [{ tool: "fs.gone", rule: "case", detail: "there is no such tool", where: [] }])
    })
  )
})

describe("a need of a tool that writes", () => {
  it("has no type without a preview", () => {
    // @ts-expect-error: the preview is missing
    const need: Tool.ApprovalNeed = { categories: ["fs_write_workspace"], reason: "", affectedResources: [] }
    const read: Tool.ApprovalNeed = { categories: ["fs_read_outside"], reason: "", affectedResources: [] }
    assert.notDeepEqual(need, read)
  })
})
