import { execFileSync } from "node:child_process"
import { linkSync, mkdirSync, symlinkSync } from "node:fs"
import * as NodePath from "node:path"
import { assert, describe, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Workspace, writeNeed } from "../../src/tools/Workspace.ts"
import { plant, settings, temporaryDirectory, toolbox } from "./fixture.ts"

/**
 * A world of real directories and real links: `ws` the working directory, `home` with the state directory in it,
 * `elsewhere` outside of both.
 */
const world = Effect.gen(function* () {
  const root = yield* temporaryDirectory
  const path = (...parts: ReadonlyArray<string>) => NodePath.join(root, ...parts)
  plant(root, {
    "home/notes.txt": "",
    "home/state/config.json": "{}",
    "home/state/.env": "",
    "home/state/sidecar.sqlite": "",
    "home/state/skills/global/SKILL.md": "",
    "home/ws/a.txt": "",
    "home/ws/sub/b.txt": "",
    "home/ws/.atomic-agent/skills/mine/SKILL.md": "",
    "home/ws2/c.txt": "",
    "elsewhere/secret.txt": "",
    "elsewhere/ws3/d.txt": ""
  })
  const links: ReadonlyArray<readonly [target: string, name: string]> = [
    ["a.txt", "home/ws/link-inside"],
    ["../../elsewhere/secret.txt", "home/ws/link-outside"],
    [path("elsewhere"), "home/ws/dir-outside"],
    ["../../home/notes.txt", "home/ws/link-home"],
    ["sub", "home/ws/dir-inside"],
    ["..", "home/ws/up"],
    ["missing.txt", "home/ws/dangling-inside"],
    [path("elsewhere/missing.txt"), "home/ws/dangling-outside"],
    [path("elsewhere/missing/deep/er.txt"), "home/ws/dangling-deep"],
    ["dangling-outside", "home/ws/dangling-twice"],
    ["dir-outside/../ws/a.txt", "home/ws/dangling-up"],
    ["loop-b", "home/ws/loop-a"],
    ["loop-a", "home/ws/loop-b"],
    ["self", "home/ws/self"],
    ["../state/config.json", "home/ws/link-config"],
    ["../state/skills/new", "home/ws/link-new-skill"],
    ["../../state", "home/ws/sub/link-state"],
    [path("home/ws"), "elsewhere/link-ws"],
    [path("home/ws/a.txt"), "elsewhere/link-a"],
    [path("elsewhere"), "home/state/skills/outside"],
    [path("home"), "home-link"],
    [path("home/state"), "link-state"],
    [path("home/state/.env"), "elsewhere/linked-env"]
  ]
  for (const [target, name] of links) symlinkSync(target, path(name))
  linkSync(path("home/state/config.json"), path("home/ws/hard-config"))
  linkSync(path("home/state/.env"), path("home/state/skills/global/second-env"))
  return path
})

const inWorld = <A, E>(test: (path: (...parts: ReadonlyArray<string>) => string) => Effect.Effect<A, E, Workspace>) =>
  Effect.gen(function* () {
    const path = yield* world
    const before = process.env["HOME"]
    yield* Effect.acquireRelease(
      Effect.sync(() => void (process.env["HOME"] = path("home-link"))),
      () => Effect.sync(() => void (process.env["HOME"] = before))
    )
    return yield* test(path).pipe(Effect.provide(toolbox({ ...settings, stateDir: path("home-link/state") })))
  }).pipe(Effect.scoped)

/** `%` stands for the root of the world. */
type Row = readonly [workingDir: string, path: string, write: string, read: string]

const ws = "home/ws"

const rows: ReadonlyArray<Row> = [
  [ws, "a.txt", "inside", "inside"],
  [ws, "./a.txt", "inside", "inside"],
  [ws, "sub/b.txt", "inside", "inside"],
  [ws, "new.txt", "inside", "inside"],
  [ws, "new/deep/er/file.txt", "inside", "inside"],
  [ws, "sub/../a.txt", "inside", "inside"],
  [ws, "new/../../ws/a.txt", "inside", "inside"],
  [ws, "%/home/ws/a.txt", "inside", "inside"],
  [ws, "%/home-link/ws/a.txt", "inside", "inside"],
  [ws, "%/elsewhere/link-ws/a.txt", "inside", "inside"],
  [ws, "%/elsewhere/link-a", "inside", "inside"],
  [ws, "../ws/a.txt", "inside", "inside"],
  [ws, "a.txt/", "inside", "inside"],
  [ws, ".", "home", "inside"],
  [ws, "", "home", "inside"],
  [ws, "%/home/ws", "home", "inside"],
  [ws, "sub/..", "home", "inside"],
  [ws, "up/ws", "home", "inside"],
  [ws, "..", "outside", "outside"],
  [ws, "../ws2/c.txt", "home", "home"],
  [ws, "../notes.txt", "home", "home"],
  [ws, "up/notes.txt", "home", "home"],
  [ws, "~/notes.txt", "home", "home"],
  [ws, "~/new.txt", "home", "home"],
  [ws, "~", "outside", "outside"],
  [ws, "~/ws/a.txt", "inside", "inside"],
  [ws, "~other/x", "inside", "inside"],
  [ws, "../../elsewhere/secret.txt", "outside", "outside"],
  [ws, "%/elsewhere/secret.txt", "outside", "outside"],
  [ws, "/etc/passwd", "outside", "outside"],
  [ws, "/", "outside", "outside"],
  [ws, "/nonexistent/x", "outside", "outside"],
  [ws, "/dev/null", "outside", "outside"],
  [ws, "/proc/self/cwd/x", "outside", "outside"],
  [ws, "link-inside", "inside", "inside"],
  [ws, "dir-inside/b.txt", "inside", "inside"],
  [ws, "dir-inside/new.txt", "inside", "inside"],
  [ws, "link-outside", "outside", "outside"],
  [ws, "dir-outside/secret.txt", "outside", "outside"],
  [ws, "dir-outside/new.txt", "outside", "outside"],
  [ws, "dir-outside/new/deep.txt", "outside", "outside"],
  [ws, "dir-outside", "outside", "outside"],
  [ws, "dir-outside/../a.txt", "outside", "outside"],
  [ws, "dir-outside/../home/ws/a.txt", "inside", "inside"],
  [ws, "dir-inside/../a.txt", "inside", "inside"],
  [ws, "link-home", "home", "home"],
  [ws, "up/ws/up/ws/a.txt", "inside", "inside"],
  [ws, "dangling-inside", "inside", "inside"],
  [ws, "dangling-outside", "outside", "outside"],
  [ws, "dangling-deep", "outside", "outside"],
  [ws, "dangling-twice", "outside", "outside"],
  [ws, "dangling-up", "outside", "outside"],
  [ws, "dangling-outside/below", "outside", "outside"],
  [ws, "loop-a", "outside", "outside"],
  [ws, "loop-a/x", "outside", "outside"],
  [ws, "self", "outside", "outside"],
  [ws, "a.txt/below", "outside", "outside"],
  [ws, "x".repeat(300), "outside", "outside"],
  [ws, "../state/config.json", "trust", "trust"],
  [ws, "../state/.env", "trust", "trust"],
  [ws, "../state/Config.JSON", "trust", "trust"],
  [ws, "../state/sidecar.sqlite", "home", "home"],
  [ws, "../state/.env.old", "home", "home"],
  [ws, "link-config", "trust", "trust"],
  [ws, "hard-config", "trust", "trust"],
  [ws, "sub/link-state/config.json", "trust", "trust"],
  [ws, "sub/link-state/skills/new/SKILL.md", "trust", "inside"],
  [ws, "link-new-skill", "trust", "inside"],
  [ws, "link-new-skill/SKILL.md", "trust", "inside"],
  [ws, "../state/skills/global/SKILL.md", "trust", "inside"],
  [ws, "../state/skills", "trust", "inside"],
  [ws, "../state/skills/outside/secret.txt", "outside", "outside"],
  [ws, ".atomic-agent/skills/mine/SKILL.md", "trust", "inside"],
  [ws, ".atomic-agent/skills/new/SKILL.md", "trust", "inside"],
  [ws, ".atomic-agent/skills", "trust", "inside"],
  [ws, ".atomic-agent/other.json", "inside", "inside"],
  ["home-link/ws", "a.txt", "inside", "inside"],
  ["elsewhere/link-ws", "a.txt", "inside", "inside"],
  ["elsewhere/link-ws", "link-outside", "outside", "outside"],
  ["elsewhere/ws3", "d.txt", "inside", "inside"],
  ["elsewhere/ws3", "../secret.txt", "outside", "outside"],
  ["elsewhere/ws3", "~/notes.txt", "home", "home"],
  ["home", "ws/a.txt", "inside", "inside"],
  ["home", "state/config.json", "trust", "trust"],
  ["home", ".", "outside", "inside"],
  ["home/state", "config.json", "trust", "trust"],
  ["home/state", ".env", "trust", "trust"],
  ["home/state", "Config.JSON", "trust", "trust"],
  ["home/state", "skills/../.env", "trust", "trust"],
  ["home/state", "skills/global/second-env", "trust", "trust"],
  ["home/state", "/proc/self/root%/home/state/.env", "trust", "trust"],
  ["home/state", "sidecar.sqlite", "inside", "inside"],
  ["home/state/skills", "../.env", "trust", "trust"],
  ["home/state/skills", "global/second-env", "trust", "trust"],
  ["home-link/state", ".env", "trust", "trust"],
  ["link-state", "config.json", "trust", "trust"],
  ["", "home/state/.env", "trust", "trust"],
  ["elsewhere", "linked-env", "trust", "trust"],
  ["home/state", "skills/x/SKILL.md", "trust", "inside"],
  ["home/state", "other", "inside", "inside"],
  ["home/gone", "x", "inside", "inside"],
  [ws, "~/.cache/atomic-agent-sidecar/x.cache", "trust", "home"],
  [ws, "~/.cache/atomic-agent-sidecar", "trust", "home"],
  [ws, "~/.CACHE/Atomic-Agent-Sidecar/x.cache", "trust", "home"],
  [ws, "~/.cache/other", "home", "home"],
  ["home", ".cache/atomic-agent-sidecar/x.cache", "trust", "inside"],
  ["home/.cache/atomic-agent-sidecar", "x.cache", "trust", "inside"],
  [ws, "%/elsewhere/caches/atomic-agent-sidecar/x", "outside", "outside"]
]

describe("the workspace", () => {
  it.effect(`tells where ${rows.length} paths lie, whatever links lead there`, () =>
    inWorld((path) =>
      Effect.gen(function* () {
        const workspace = yield* Workspace
        for (const [workingDir, given, write, read] of rows) {
          const context = { workingDir: path(workingDir) }
          const named = given.replace("%", path())
          const writing = yield* workspace.writing(named, context)
          const reading = yield* workspace.reading(named, context)
          assert.deepStrictEqual([writing.scope, reading.scope], [write, read], `${given} in ${workingDir}`)
        }
      })
    )
  )

  it.effect.skipIf(process.platform !== "linux")("refuses what leads into a process, by whatever name", () =>
    inWorld((path) =>
      Effect.gen(function* () {
        const workspace = yield* Workspace
        symlinkSync(`/proc/${process.pid}`, path(ws, "process"))
        const names = [
          "/proc/self/mem",
          "/proc/self/environ",
          "/proc/self/fd",
          "/proc/self",
          "/proc/thread-self/mem",
          `/proc/${process.pid}/mem`,
          `/proc/self/../${process.pid}/environ`,
          `/proc/../proc//${process.pid}/./mem`,
          `/proc/self/root/proc/${process.pid}/mem`,
          `/proc/self/task/${process.pid}/environ`,
          "/dev/fd",
          "process/mem",
          "process/task/../environ"
        ]
        for (const name of names) {
          for (const place of [workspace.reading, workspace.writing]) {
            const result = yield* Effect.exit(place(name, { workingDir: path(ws) }))
            assert.strictEqual(result._tag, "Failure", name)
          }
        }
        for (const name of ["/proc/self/status", "/proc/cpuinfo", "/proc/self/cwd"]) {
          assert.strictEqual((yield* workspace.reading(name, { workingDir: path(ws) })).scope, "outside", name)
        }
      })
    )
  )

  it.effect("counts the code cache as trusted where the environment says it is, also for others", () =>
    inWorld((path) =>
      Effect.gen(function* () {
        const workspace = yield* Workspace
        const writing = (given: string) =>
          Effect.map(workspace.writing(given, { workingDir: path(ws) }), (at) => at.scope)
        mkdirSync(path("caches"))
        symlinkSync(path("caches"), path("link-caches"))
        vi.stubEnv("XDG_CACHE_HOME", path("link-caches"))
        for (const name of ["link-caches", "caches"]) {
          assert.strictEqual(yield* writing(path(name, "atomic-agent-sidecar/x.cache")), "trust")
        }
        vi.stubEnv("NODE_DISABLE_COMPILE_CACHE", "1")
        assert.strictEqual(yield* writing(path("caches/atomic-agent-sidecar/x.cache")), "trust")
      })
    ).pipe(Effect.ensuring(Effect.sync(() => vi.unstubAllEnvs())))
  )

  it.effect("says what a path really is", () =>
    inWorld((path) =>
      Effect.gen(function* () {
        const workspace = yield* Workspace
        const real = (given: string) => Effect.map(workspace.writing(given, { workingDir: path(ws) }), (at) => at.real)
        assert.strictEqual(yield* real("link-outside"), path("elsewhere/secret.txt"))
        assert.strictEqual(yield* real("dangling-deep"), path("elsewhere/missing/deep/er.txt"))
        assert.strictEqual(yield* real("dir-inside/new/x"), path("home/ws/sub/new/x"))
        assert.strictEqual(yield* real("loop-a"), path("home/ws/loop-a"))
        assert.strictEqual(
          (yield* workspace.writing("link-inside", { workingDir: path(ws) })).path,
          path(ws, "link-inside")
        )
      })
    )
  )

  it.effect("asks about every place that a write changes", () =>
    inWorld((path) =>
      Effect.gen(function* () {
        const workspace = yield* Workspace
        const at = (given: string) => workspace.writing(given, { workingDir: path(ws) })
        assert.deepStrictEqual(writeNeed([yield* at("link-outside"), yield* at("a.txt")], "move it", "both"), {
          categories: ["other", "fs_write_workspace"],
          reason: "move it",
          preview: "both",
          affectedResources: [path("elsewhere/secret.txt"), path(ws, "a.txt")],
          subject: { kind: "write" }
        })
      })
    )
  )

  it.effect("takes no path that the file system would take for another", () =>
    inWorld((path) =>
      Effect.gen(function* () {
        const workspace = yield* Workspace
        for (const given of ["a\0.txt", "\ud800", "a\udc00.txt"]) {
          const refused = yield* Effect.flip(workspace.writing(given, { workingDir: path(ws) }))
          assert.include(refused.message, "the path contains")
        }
      })
    )
  )

  it.effect("does not take a project's word for what is a skills folder to read from", () =>
    inWorld((path) =>
      Effect.gen(function* () {
        mkdirSync(path("trap/.atomic-agent"), { recursive: true })
        symlinkSync("/", path("trap/.atomic-agent/skills"))
        const workspace = yield* Workspace
        assert.strictEqual((yield* workspace.reading("/etc/passwd", { workingDir: path("trap") })).scope, "outside")
        assert.strictEqual(
          (yield* workspace.reading(".atomic-agent/skills/etc/passwd", { workingDir: path("trap") })).scope,
          "outside"
        )
        // What would be written through it might be a skill.
        assert.strictEqual(
          (yield* workspace.writing(".atomic-agent/skills/etc/x", { workingDir: path("trap") })).scope,
          "trust"
        )
      })
    )
  )

  it.effect("counts what it may not look into as outside", () =>
    inWorld((path) =>
      Effect.gen(function* () {
        if (process.getuid?.() === 0) return
        execFileSync("chmod", ["000", path("home/ws/sub")])
        const workspace = yield* Workspace
        assert.strictEqual((yield* workspace.reading("sub/b.txt", { workingDir: path(ws) })).scope, "outside")
        execFileSync("chmod", ["755", path("home/ws/sub")])
      })
    )
  )

  it.effect("has no home where that is the root of everything, or unset", () =>
    inWorld((path) =>
      Effect.gen(function* () {
        const workspace = yield* Workspace
        for (const home of ["/", ""]) {
          process.env["HOME"] = home
          assert.strictEqual((yield* workspace.writing("../notes.txt", { workingDir: path(ws) })).scope, "outside")
        }
      })
    )
  )
})
