import { linkSync, statSync, symlinkSync } from "node:fs"
import * as NodePath from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { SeededRandom } from "../../src/testing/SeededRandom.ts"
import { call, needOf, plant, settings, temporaryDirectory, toolbox } from "./fixture.ts"

/** The working directory `root` has the state directory `state` in it, and two more names of its `.env`. */
const inWorld = <A, E>(test: (root: string) => Effect.Effect<A, E, any>) =>
  Effect.gen(function* () {
    const root = yield* temporaryDirectory
    plant(root, {
      "state/.env": "ATOMIC_AGENT_LLAMA_API_KEY=sk-planted-0123456789\n",
      "state/config.json": '{"planted":1}\n',
      "state/notes.txt": "planted\n",
      "a.txt": "planted\n"
    })
    linkSync(NodePath.join(root, "state/.env"), NodePath.join(root, "second.txt"))
    symlinkSync("state/.env", NodePath.join(root, "third.txt"))
    return yield* test(root).pipe(Effect.provide(toolbox({ ...settings, stateDir: NodePath.join(root, "state") })))
  }).pipe(Effect.scoped) as Effect.Effect<A, E>

const runs = Number(process.env["FUZZ_RUNS"] ?? 300)
const seed = Number(process.env["FUZZ_SEED"] ?? 7)

const names = ["state/.env", "./state//.env", "a/../state/config.json", "second.txt", "third.txt"]

describe("the sidecar's own config.json and .env, inside the working directory", () => {
  it.effect("ask like a read outside, under each of their names", () =>
    inWorld((root) =>
      Effect.gen(function* () {
        for (const name of names) {
          for (const [tool, args] of [
            ["fs.read", { path: name }],
            ["fs.grep", { path: name, pattern: "." }],
            ["attach", { paths: ["a.txt", name] }]
          ] as const) {
            const need = yield* needOf(tool, args, root)
            assert.strictEqual(typeof need === "object" && need.category, "fs_read_outside", `${tool} ${name}`)
          }
        }
        const need = yield* needOf("fs.read", { path: "second.txt" }, root)
        assert.include(typeof need === "object" && need.reason, "own settings")
      })
    )
  )

  it.effect("ask whatever name leads to them, and other files do not", () =>
    inWorld((root) =>
      Effect.gen(function* () {
        symlinkSync(root, NodePath.join(root, "state/up"))
        symlinkSync("../third.txt", NodePath.join(root, "state/fourth"))
        const own = ["state/.env", "state/config.json"].map((name) => statSync(NodePath.join(root, name)).ino)
        const steps = [
          root.slice(1),
          "",
          ...".. . state up .env .ENV config.json second.txt third.txt fourth a.txt notes.txt".split(" ")
        ]
        const starts = [
          "",
          "./",
          "/",
          `${root}/`,
          "/proc/self/root/",
          `/proc/${process.pid}/root${root}/`,
          "/proc/self/cwd/"
        ]
        const random = new SeededRandom(seed)
        const asked = { own: 0, other: 0 }
        for (let run = 0; run < runs * 10; run++) {
          const path = random.pick(starts) + random.list(random.integer(1, 5), () => random.pick(steps)).join("/")
          const file = statSync(NodePath.isAbsolute(path) ? path : `${root}/${path}`, { throwIfNoEntry: false })
          if (file?.isFile() !== true) continue
          const isOwn = own.includes(file.ino)
          asked[isOwn ? "own" : "other"] += 1
          const need = yield* needOf("fs.read", { path }, root)
          assert.strictEqual(need !== undefined, isOwn, path)
        }
        assert.isAbove(Math.min(asked.own, asked.other), runs / 20)
      })
    )
  )

  it.effect("are left out of a search, which says so", () =>
    inWorld((root) =>
      Effect.gen(function* () {
        for (const path of [".", "state"]) {
          assert.isUndefined(yield* needOf("fs.grep", { pattern: "planted", path }, root))
          const { summary, truncated } = yield* call("fs.grep", { pattern: "planted", path }, root)
          assert.include(summary, "notes.txt:1:planted")
          assert.notInclude(summary, "API_KEY")
          assert.notInclude(summary, '"planted"')
          assert.include(summary, "own settings")
          assert.isTrue(truncated)
        }
        const { summary } = yield* call("fs.grep", { pattern: "planted", path: ".", glob: "a.txt" }, root)
        assert.strictEqual(summary, "a.txt:1:planted")
      })
    )
  )

  it.effect("may be listed, and their neighbours read", () =>
    inWorld((root) =>
      Effect.gen(function* () {
        assert.isUndefined(yield* needOf("fs.read", { path: "state/notes.txt" }, root))
        assert.isUndefined(yield* needOf("fs.list", { path: "state" }, root))
        assert.include((yield* call("fs.glob", { pattern: "*.json" }, root)).summary, "state/config.json")
      })
    )
  )
})
