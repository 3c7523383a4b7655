import { mkdtempSync, mkdirSync, realpathSync, rmSync, symlinkSync, unlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import * as NodePath from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as GatedModel from "../../src/testing/GatedModel.ts"
import { stage } from "../support/Sidecar.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(NodePath.join(tmpdir(), "grants-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

describe("the path of a grant that a session begins with", () => {
  it.effect("covers where its links led then, and not where they lead later", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const [one, two, link] = ["one", "two", "link"].map((name) => NodePath.join(root, name))
      mkdirSync(one!)
      mkdirSync(two!)
      symlinkSync(one!, link!)
      const { host, model, send } = yield* stage()
      yield* host.request("hello", { extensions: ["grants"] })
      const grant = { kind: "write", path: link! }
      const started = yield* host.request("start_session", { workingDir: root, grants: [grant] })
      const { sessionId } = started.payload as { sessionId: string }
      assert.deepStrictEqual((yield* host.request("list_grants", { sessionId })).payload, { grants: [grant] })
      const sent = yield* Effect.forkChild(send(sessionId, "go"))
      const write = (content: string) => GatedModel.toolCall("fs_write", { path: "link/a.txt", content })
      ;(yield* model.next).finish([write("first")])
      const second = yield* model.next
      assert.deepInclude(second.request.history.at(-1), { status: "ok" })
      unlinkSync(link!)
      symlinkSync(two!, link!)
      second.finish([write("second")])
      const { payload } = yield* host.event("approval_request")
      assert.deepStrictEqual(payload.affectedResources, [NodePath.join(two!, "a.txt")])
      yield* host.request("approval_response", { approvalId: payload.approvalId, approved: false })
      ;(yield* model.next).answer("done")
      yield* Fiber.join(sent)
    })
  )
})
