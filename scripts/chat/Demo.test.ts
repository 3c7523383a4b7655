import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { playDemo } from "./Demo.ts"
import { makeScreen } from "./Screen.ts"
import { styleFor } from "./Style.ts"

const bin = Path.join(import.meta.dirname, "../FakeSidecar.ts")

describe("the conversation without a terminal", () => {
  it("is played to its end, approvals answered", async () => {
    let text = ""
    const screen = makeScreen({ write: (more) => (text += more), style: styleFor(false), width: () => 80 })
    const model = { line: "", env: process.env, dispose: () => {} }
    assert.strictEqual(await playDemo(bin, model, screen), 0)
    assert.strictEqual(text.match(/✓ written/g)?.length, 3)
    assert.strictEqual(text.match(/^Done, 你好\.$/gm)?.length, 3)
  })
})
