import { assert, describe, it } from "@effect/vitest"
import { violations } from "../../scripts/floors/Rules.ts"

const check = (path: string, text: string) => violations([{ path, text }])

describe("floors", () => {
  const allowed: ReadonlyArray<[path: string, text: string]> = [
    ["src/session/TurnRunner.ts", `import { Toolbox } from "../tools/Toolbox.ts"`],
    ["src/session/TurnRunner.ts", `import { Steering } from "./Steering.ts"`],
    ["src/domain/Session.ts", `import { Config } from "../Config.ts"`],
    ["src/main.ts", `import { serve } from "./router/RequestRouter.ts"`],
    ["src/main.ts", `import packageJson from "../package.json" with { type: "json" }`],
    ["src/protocol/Event.ts", `import * as Schema from "effect/Schema"`],
    ["src/host/SidecarHost.ts", `import { toLine } from "../protocol/Frame.ts"`],
    ["src/testing/Harness.ts", `import { layer } from "../Sidecar.ts"`],
    ["src/index.ts", `export * from "./Config.ts"`],
    ["src/testing/index.ts", `export * from "./Harness.ts"`],
    ["scripts/build.ts", `import * as esbuild from "esbuild"`],
    ["src/llama/LlamaHttp.ts", `import * as NodePath from "@effect/platform-node/NodePath"`],
    ["src/llama/Text.ts", `const text = 'import { x } from "../session/Steering.ts"'`],
    ["src/llama/Long.ts", "\n".repeat(300)]
  ]
  for (const [path, text] of allowed) {
    it(`allows ${JSON.stringify(text.slice(0, 80))} in ${path}`, () => {
      assert.deepStrictEqual(check(path, text), [])
    })
  }

  const refused: ReadonlyArray<[path: string, text: string, why: string]> = [
    [
      "src/tools/Toolbox.ts",
      `\nimport { Steering } from "../session/Steering.ts"`,
      "src/tools/Toolbox.ts:2: on floor 3 imports src/session/Steering.ts, on floor 4"
    ],
    [
      "src/llama/LlamaHttp.ts",
      `import type { Turn } from "../session/Turn.ts"`,
      "src/llama/LlamaHttp.ts:1: on floor 2 imports src/session/Turn.ts, on floor 4"
    ],
    [
      "src/store/Sqlite.ts",
      `const later = () => import("../router/Reply.ts")`,
      "src/store/Sqlite.ts:1: on floor 2 imports src/router/Reply.ts, on floor 5"
    ],
    [
      "src/store/Sqlite.ts",
      `export { run } from "../tools/Tool.ts"\nexport const x = 1`,
      "src/store/Sqlite.ts:1: on floor 2 imports src/tools/Tool.ts, on floor 3"
    ],
    [
      "src/router/Reply.ts",
      `import { Host } from "../host/SidecarHost.ts"`,
      "src/router/Reply.ts:1: imports src/host/SidecarHost.ts, which stands on no floor below"
    ],
    [
      "src/router/Reply.ts",
      `import { gate } from "../testing/Gate.ts"`,
      "src/router/Reply.ts:1: imports src/testing/Gate.ts, which stands on no floor below"
    ],
    [
      "src/host/SidecarHost.ts",
      `import { Session } from "../domain/Session.ts"`,
      "src/host/SidecarHost.ts:1: host/ imports protocol/ only, not src/domain/Session.ts"
    ],
    [
      "src/protocol/Event.ts",
      `import * as Effect from "effect/Effect"`,
      `src/protocol/Event.ts:1: protocol/ imports effect/Schema, effect/SchemaAST, effect/SchemaIssue only, not "effect/Effect"`
    ],
    [
      "src/protocol/Event.ts",
      `import { Turn } from "../domain/Turn.ts"`,
      "src/protocol/Event.ts:1: on floor 0 imports src/domain/Turn.ts, on floor 1"
    ],
    [
      "src/domain/Session.ts",
      `import { Effect } from "effect"`,
      `src/domain/Session.ts:1: imports all of "effect", import one of its modules`
    ],
    [
      "scripts/bench.ts",
      `import { NodePath } from "@effect/platform-node"`,
      `scripts/bench.ts:1: imports all of "@effect/platform-node", import one of its modules`
    ],
    ["src/utils/Misc.ts", "export const x = 1", "src/utils/Misc.ts: stands on no floor"],
    [
      "src/tools/index.ts",
      `export * from "./Tool.ts"\nexport { run } from "./Toolbox.ts"`,
      "src/tools/index.ts: a barrel, it only passes on others' exports"
    ],
    ["src/llama/Long.ts", "\n".repeat(301), "src/llama/Long.ts: 301 lines, at most 300"],
    [
      "src/main.ts",
      `import { harness } from "../test/Harness.ts"`,
      "src/main.ts:1: imports test/Harness.ts, which is not in src"
    ]
  ]
  for (const [path, text, why] of refused) {
    it(`says: ${why}`, () => {
      assert.deepStrictEqual(check(path, text), [why])
    })
  }
})
