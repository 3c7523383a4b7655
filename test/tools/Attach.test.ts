import { rmSync, symlinkSync } from "node:fs"
import * as NodePath from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { call, plan, plant, temporaryDirectory, toolbox } from "./fixture.ts"

describe("attach", () => {
  it.effect("hands over absolute paths, each once", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      plant(root, { "a.txt": "", "b/c.txt": "" })
      const result = yield* call("attach", { paths: ["a.txt", "b/c.txt", "./a.txt"] }, root)
      assert.strictEqual(result.status, "ok")
      assert.deepStrictEqual(result.attachments, [NodePath.join(root, "a.txt"), NodePath.join(root, "b/c.txt")])
    }).pipe(Effect.scoped, Effect.provide(toolbox()))
  )

  it.effect("fails for a file that is not there, and for what is no file", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      plant(root, { "a.txt": "", "dir/": "" })
      const missing = yield* call("attach", { paths: ["a.txt", "none"] }, root)
      assert.strictEqual(missing.status, "error")
      assert.include(missing.summary, "none: no such file")
      assert.isUndefined(missing.attachments)
      assert.include((yield* call("attach", { paths: ["dir"] }, root)).summary, "is a directory")
      assert.include((yield* call("attach", { paths: [] }, root)).summary, "at least one path")
      assert.include(
        (yield* call("attach", { paths: Array.from({ length: 101 }, () => "a.txt") }, root)).summary,
        "100"
      )
    }).pipe(Effect.scoped, Effect.provide(toolbox()))
  )

  it.effect("asks like a read, for those files that lie outside", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      const other = yield* temporaryDirectory
      plant(root, { a: "" })
      plant(other, { b: "" })
      const planned = yield* plan("attach", { paths: ["a", NodePath.join(other, "b")] }, root)
      if (planned._tag !== "Ready") return assert.fail(planned.why)
      assert.strictEqual(planned.need?.category, "fs_read_outside")
      assert.deepStrictEqual(planned.need?.affectedResources, [NodePath.join(other, "b")])
      symlinkSync(NodePath.join(other, "b"), NodePath.join(root, "link"))
      const linked = yield* plan("attach", { paths: ["link"] }, root)
      if (linked._tag !== "Ready") return assert.fail(linked.why)
      rmSync(NodePath.join(root, "link"))
      symlinkSync("/etc/hostname", NodePath.join(root, "link"))
      assert.deepStrictEqual((yield* linked.run).attachments, linked.need?.affectedResources)
      const inside = yield* plan("attach", { paths: ["a"] }, root)
      assert.isTrue(inside._tag === "Ready" && inside.need === undefined)
    }).pipe(Effect.scoped, Effect.provide(toolbox()))
  )
})
