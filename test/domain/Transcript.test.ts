import { assert, it } from "@effect/vitest"
import { wireName } from "../../src/domain/Transcript.ts"

it("a tool's name on the wire has only what every endpoint takes", () => {
  assert.strictEqual(wireName("fs.list"), "fs_list")
  assert.strictEqual(wireName("skill.run_script"), "skill_run_script")
  assert.strictEqual(wireName("wetter in köln?"), "wetter_in_k_ln_")
  assert.strictEqual(wireName(""), "unnamed")
  assert.strictEqual(wireName("x".repeat(70)).length, 64)
})
