import { assert, describe, it } from "@effect/vitest"
import { rooms } from "./Rooms.ts"
import { violations } from "./Rules.ts"

const check = (path: string, text: string) => violations([{ path, text }])

describe("floors", () => {
  const allowed: ReadonlyArray<[path: string, text: string]> = [
    ["src/session/turn/TurnRunner.ts", `import { Toolbox } from "../tools/Toolbox.ts"`],
    ["src/session/turn/TurnRunner.ts", `import { Steering } from "./Steering.ts"`],
    ["src/domain/Session.ts", `import { Turn } from "../protocol/Turn.ts"`],
    ["src/main.ts", `import { serve } from "./router/RequestRouter.ts"`],
    ["src/main.ts", `import packageJson from "../package.json" with { type: "json" }`],
    ["src/protocol/Event.ts", `import * as Schema from "effect/Schema"`],
    ["src/host/SidecarHost.ts", `import { toLine } from "../protocol/Frame.ts"`],
    ["src/testing/Harness.ts", `import { layer } from "../Sidecar.ts"`],
    ["src/index.ts", `export * from "./Config.ts"`],
    ["src/testing/index.ts", `export * from "./Harness.ts"`],
    ["scripts/build.ts", `import * as esbuild from "esbuild"`],
    ["scripts/chat/Demo.test.ts", `import { playDemo } from "./Demo.ts"`],
    ["scripts/chat/Demo.test.ts", `import { check } from "../../src/testing/ContractChecker.ts"`],
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
      "src/tools/Toolbox.ts:2: tools/ may not import src/session/Steering.ts, which stands above it"
    ],
    [
      "src/llama/LlamaHttp.ts",
      `import type { Turn } from "../session/turn/Turn.ts"`,
      "src/llama/LlamaHttp.ts:1: llama/ may not import src/session/turn/Turn.ts, which stands above it"
    ],
    [
      "src/store/Sqlite.ts",
      `const later = () => import("../router/Reply.ts")`,
      "src/store/Sqlite.ts:1: store/ may not import src/router/Reply.ts, which stands above it"
    ],
    [
      "src/store/Sqlite.ts",
      `export { run } from "../tools/Tool.ts"\nexport const x = 1`,
      "src/store/Sqlite.ts:1: store/ may not import src/tools/Tool.ts, which stands above it"
    ],
    [
      "src/router/Reply.ts",
      `import { Host } from "../host/SidecarHost.ts"`,
      "src/router/Reply.ts:1: router/ may not import src/host/SidecarHost.ts, which stands above it"
    ],
    [
      "src/router/Reply.ts",
      `import { gate } from "../testing/Gate.ts"`,
      "src/router/Reply.ts:1: router/ may not import src/testing/Gate.ts, which stands above it"
    ],
    [
      "src/host/SidecarHost.ts",
      `import { Session } from "../domain/Session.ts"`,
      "src/host/SidecarHost.ts:1: host/ may not import src/domain/Session.ts"
    ],
    [
      "src/protocol/Event.ts",
      `import * as Effect from "effect/Effect"`,
      `src/protocol/Event.ts:1: protocol/ imports effect/Schema, effect/SchemaAST, effect/SchemaIssue only, not "effect/Effect"`
    ],
    [
      "src/protocol/Event.ts",
      `import { Turn } from "../domain/Turn.ts"`,
      "src/protocol/Event.ts:1: protocol/ may not import src/domain/Turn.ts, which stands above it"
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
    ["src/utils/Misc.ts", "export const x = 1", "src/utils/Misc.ts: stands in no room"],
    [
      "src/tools/index.ts",
      `export * from "./Tool.ts"\nexport { run } from "./Toolbox.ts"`,
      "src/tools/index.ts: a barrel, it only passes on others' exports"
    ],
    ["src/llama/Long.ts", "\n".repeat(301), "src/llama/Long.ts: 301 lines, at most 300"],
    [
      "src/llama/LlamaHttp.ts",
      `import { StdoutSink } from "../stdio/StdoutSink.ts"`,
      "src/llama/LlamaHttp.ts:1: llama/ may not import src/stdio/StdoutSink.ts"
    ],
    [
      "scripts/torture.ts",
      `import { Bin } from "../test/support/Bin.ts"`,
      "scripts/torture.ts:1: scripts/ does not import test/, but test/support/Bin.ts"
    ],
    [
      "scripts/chat/Demo.test.ts",
      `import { Bin } from "../../test/support/Bin.ts"`,
      "scripts/chat/Demo.test.ts:1: scripts/ does not import test/, but test/support/Bin.ts"
    ],
    [
      "test/Bench.test.ts",
      `import { bench } from "../scripts/bench.ts"`,
      "test/Bench.test.ts:1: test/ does not import scripts/, but scripts/bench.ts"
    ],
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

  it("names the files of a circle, types included", () => {
    const files = [
      { path: "src/store/A.ts", text: `import { b } from "./B.ts"` },
      { path: "src/store/B.ts", text: `import type { A } from "./C.ts"` },
      { path: "src/store/C.ts", text: `import { a } from "./A.ts"` },
      { path: "src/store/D.ts", text: `import { a } from "./A.ts"` }
    ]
    assert.deepStrictEqual(violations(files), [
      "src/store/A.ts: a circle of imports: src/store/A.ts → src/store/B.ts → src/store/C.ts → src/store/A.ts"
    ])
  })

  it("counts the files of a folder of src", () => {
    const files = Array.from({ length: 23 }, (_, index) => ({ path: `src/store/F${index}.ts`, text: "" }))
    assert.deepStrictEqual(violations(files), ["src/store: 23 files, at most 22"])
  })

  it("lets each room import only what stands below it", () => {
    for (const [floor, { mayImport, name }] of rooms.entries()) {
      for (const other of mayImport) {
        assert.isBelow(
          rooms.findIndex((room) => room.name === other),
          floor,
          `${name} imports ${other}`
        )
      }
    }
  })
})
