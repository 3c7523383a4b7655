import { spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as esbuild from "esbuild"
import { type Place, place, skillText, using } from "./folders.ts"

/** Runs `killed.ts`; whether it died before it was through. */
const dies = (program: string, n: number, { stateDir }: Place, ...work: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const child = spawn(process.execPath, [program, `${n}`, stateDir, ...work], {
      stdio: ["ignore", "ignore", "inherit"]
    })
    const [code, signal] = await once(child, "close")
    assert.deepStrictEqual([code, signal], signal === null ? [0, null] : [null, "SIGKILL"])
    return signal !== null
  })

const bundle = Effect.fnUntraced(function* ({ root }: Place) {
  const outfile = Path.join(root, "killed.mjs")
  yield* Effect.promise(() =>
    esbuild.build({
      entryPoints: [Path.join(import.meta.dirname, "killed.ts")],
      outfile,
      bundle: true,
      format: "esm",
      platform: "node"
    })
  )
  return outfile
})

const plantAll = (here: Place) =>
  here.plant({
    "old/SKILL.md": skillText("pdf", "version: 1.0.0"),
    "old/a/old.txt": "x",
    "new/SKILL.md": skillText("pdf", "version: 2.0.0"),
    "new/a/b/new.txt": "x",
    "new/new.bin": new Uint8Array(600_000)
  })

/** The installed version, whole, or none. */
const whole = (here: Place, listed: ReadonlyArray<{ readonly version: string; readonly folder: string }>) => {
  const [pdf] = listed
  if (pdf === undefined) return "none"
  const source = pdf.version === "1.0.0" ? "old" : "new"
  assert.deepStrictEqual(here.tree(Path.relative(here.root, pdf.folder)), here.tree(source))
  for (const path of here.tree(source)) {
    const [there, mine] = [pdf.folder, Path.join(here.root, source)].map((at) => Path.join(at, path))
    if (Fs.statSync(mine!).isFile()) assert.isTrue(Fs.readFileSync(there!).equals(Fs.readFileSync(mine!)), path)
  }
  return source
}

describe("a sidecar that is killed", () => {
  it.effect.each<{ what: string; work: ReadonlyArray<string>; before: string; steps: number; after: string }>([
    { what: "installs a skill", work: ["install", "new"], before: "none", steps: 15, after: "new" },
    { what: "replaces a skill", work: ["install", "new"], before: "old", steps: 17, after: "new" },
    { what: "uninstalls a skill", work: ["uninstall", "pdf"], before: "old", steps: 2, after: "none" }
  ])("while it $what has done it or has not, at any moment", ({ after, before, steps, work: [verb = "", what = ""] }) =>
    Effect.gen(function* () {
      const here = yield* place
      plantAll(here)
      const program = yield* bundle(here)
      const argument = verb === "install" ? Path.join(here.root, what) : what
      const seen: Array<string> = []
      // One that was there before, and looks on without tidying up.
      yield* using(here, (witness) =>
        Effect.gen(function* () {
          for (let n = 1; ; n++) {
            Fs.rmSync(here.global, { recursive: true, force: true })
            if (before !== "none") yield* witness.install(Path.join(here.root, before), true)
            const died = yield* dies(program, n, here, verb, argument)
            const found = whole(here, yield* witness.list(here.project))
            const later = yield* using(here, (next) => Effect.map(next.list(here.project), (all) => whole(here, all)))
            assert.strictEqual(later, found, `after step ${n}`)
            const files = found === "none" ? [] : ["pdf", ...here.tree(found).map((path) => `pdf/${path}`)]
            assert.deepStrictEqual(here.tree("state/skills"), files, `after step ${n}`)
            seen.push(found)
            if (!died) break
          }
        })
      )
      assert.strictEqual(seen.length - 1, steps)
      const turn = seen.indexOf(after)
      assert.deepStrictEqual(seen, [
        ...Array<string>(turn).fill(before),
        ...Array<string>(seen.length - turn).fill(after)
      ])
      assert.isAbove(turn, 0)
    })
  )
})
