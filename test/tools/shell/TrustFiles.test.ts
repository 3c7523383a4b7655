import { linkSync, symlinkSync } from "node:fs"
import * as NodePath from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { SeededRandom } from "../../../src/testing/SeededRandom.ts"
import { needOf, plan, plant, settings, temporaryDirectory, toolbox } from "../fixture.ts"

/**
 * `%/state` is the state directory, `%/link` a link to it, `%/link-env` one to its `.env`, `%/ws` a working directory with links to
 * both, and `%/clean` one without.
 */
const world = Effect.gen(function* () {
  const root = yield* temporaryDirectory
  plant(root, {
    "state/.env": "ATOMIC_AGENT_LLAMA_API_KEY=sk-planted-0123456789\n",
    "state/config.json": '{"planted":1}\n',
    "state/other.txt": "other\n",
    "state/sub/a.txt": "a\n",
    "ws/a.txt": "a\n",
    "ws/sub/config.json": "{}\n",
    "clean/a.txt": "a\n",
    "clean/.env": "MINE=1\n",
    "clean/config.json": "{}\n"
  })
  symlinkSync("state", NodePath.join(root, "link"))
  symlinkSync("../state/.env", NodePath.join(root, "ws/link-env"))
  symlinkSync("../state/.env", NodePath.join(root, "ws/q[i]d"))
  symlinkSync("../../state", NodePath.join(root, "ws/sub/link-state"))
  return root
})

const inWorld = <A, E>(test: (root: string) => Effect.Effect<A, E, any>) =>
  Effect.gen(function* () {
    const root = yield* world
    return yield* test(root).pipe(Effect.provide(toolbox({ ...settings, stateDir: NodePath.join(root, "state") })))
  }).pipe(Effect.scoped) as Effect.Effect<A, E>

const lines = Number(process.env["FUZZ_RUNS"] ?? 300)
const seed = Number(process.env["FUZZ_SEED"] ?? 7)

const programs = `cat|cat -A|head -3|tail -n 5|cut -c1-60|sort|sort -r|uniq|grep .|grep -a KEY|wc|grep -r .|grep -rn KEY
|grep -R .|grep -d recurse .|grep -hr -A 2 .|rg .|rg -uu KEY|cmp -l|diff|diff -N|diff --no-dereference -r
|diff --no-dereference -rN|git diff|ls -a|file|echo`.split(/\n?\|/)

const names = `.env state/.env ./.env .//.env sub/up/state/.env link/.env twice l[i]nk 'l[i]nk' q[i]d . link-env second
  sub/link-state/.env * *.json s*/* */* */*.json ?tate/c* [s]tate/* l* t* config.json link/config.json state link a.txt
  clean sub other.txt sub/up ws`.split(/\s+/)

/** A line that the read-only list may take: one to three commands with up to three names each. */
const lineOf = (random: SeededRandom): string =>
  random
    .list(random.integer(1, 3), () =>
      [random.pick(programs), ...random.list(random.integer(0, 3), () => random.pick(names))].join(" ")
    )
    .join(random.pick([" && ", " || ", "; ", " | "]))

/** A command line of the read-only list, in a working directory. */
type Row = readonly [workingDir: string, command: string]

const asking: ReadonlyArray<Row> = [
  ["state", "cat .env"],
  ["state", "cat ./.env"],
  ["state", "cat .//./.env"],
  ["state", "cut -c1-20 .env"],
  ["state", "cut -c 21-40 .env"],
  ["state", "head -c 30 .env"],
  ["state", "tail -c10 .env"],
  ["state", "sort .env"],
  ["state", "uniq .env"],
  ["state", "wc .env"],
  ["state", "file -b .env"],
  ["state", "cmp -l .env other.txt"],
  ["state", "diff other.txt .env"],
  ["state", "diff -- sub ."],
  ["state", "grep -n . .env"],
  ["state", "grep -f .env other.txt"],
  ["state", "grep -f.env other.txt"],
  ["state", "grep --file=.env other.txt"],
  ["state", "grep -r . ."],
  ["state", "grep -rn KEY"],
  ["state", "grep -d recurse KEY ."],
  ["state", "grep --directories=recurse KEY ."],
  ["state", "grep --recursive KEY"],
  ["state", "rg ."],
  ["state", "rg --hidden KEY"],
  ["state", "cat config.json"],
  ["state", "cat *"],
  ["state", "cat *.json"],
  ["state", "cat c?nfig.json"],
  ["state", "cat [c]onfig.json"],
  ["state", "ls && cat .env"],
  ["state", "ls | sort .env"],
  ["state", "ls; head .env"],
  ["state", "git diff"],
  ["state", "git blame .env"],
  ["state", "git status -v"],
  ["link", "cat .env"],
  ["link", "grep -r . ."],
  [".", "cat state/.env"],
  [".", "cat link/.env"],
  [".", "cat s*/*.json"],
  [".", "cut -c1-20 state/.env"],
  [".", "grep -r KEY ."],
  [".", "grep -r KEY state"],
  [".", "rg --hidden KEY state"],
  [".", "diff --no-dereference -r state clean"],
  [".", "git diff"]
]

/** Links that lead out of the working directory: then a command is none of the read-only list. */
const outside: ReadonlyArray<Row> = [
  ["ws", "cat link-env"],
  ["ws", "cat q[i]d"],
  ["ws", "grep -r . link-env"],
  ["ws", "cat sub/link-state/.env"]
]

const silent: ReadonlyArray<Row> = [
  ["state", "ls -la"],
  ["state", "ls -l config.json .env"],
  ["state", "stat *"],
  ["state", "echo .env"],
  ["state", "du -a ."],
  ["state", "cat other.txt"],
  ["state", "cat sub/a.txt"],
  ["state", "grep -n KEY other.txt"],
  ["state", "diff other.txt sub/a.txt"],
  ["state", "find . -name .env"],
  [".", "ls -R"],
  [".", "cat clean/config.json"],
  [".", "cat ws/a.txt state/other.txt"],
  ["ws", "cat a.txt"],
  ["ws", "cat sub/config.json"],
  ["ws", "grep -r . ."],
  ["clean", "cat .env"],
  ["clean", "cat config.json"],
  ["clean", "grep -r . ."],
  ["clean", "cut -c1-20 .env"]
]

const category = (root: string, [workingDir, command]: Row) =>
  Effect.map(needOf("shell.run", { command }, NodePath.join(root, workingDir)), (need) =>
    typeof need === "string" ? need : need?.category
  )

describe("the sidecar's own config.json and .env", () => {
  it.effect.each(asking)("are not shown by a silent command: in %s, %s", (row) =>
    inWorld((root) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* category(root, row), "fs_read_outside")
      })
    )
  )

  it.effect.each(silent)("are no reason to ask about what shows neither: in %s, %s", (row) =>
    inWorld((root) =>
      Effect.gen(function* () {
        assert.isUndefined(yield* category(root, row))
      })
    )
  )

  it.effect.each(outside)("are not shown through a link by a silent command: in %s, %s", (row) =>
    inWorld((root) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* category(root, row), "shell")
      })
    )
  )

  it.effect("are named in the question", () =>
    inWorld((root) =>
      Effect.gen(function* () {
        const need = yield* needOf("shell.run", { command: "grep -r KEY ." }, root)
        assert.deepInclude(need, {
          category: "fs_read_outside",
          preview: "grep -r KEY .",
          affectedResources: [NodePath.join(root, "state/config.json"), NodePath.join(root, "state/.env")]
        })
      })
    )
  )

  it.effect("may be anywhere where one has a second name", () =>
    inWorld((root) =>
      Effect.gen(function* () {
        linkSync(NodePath.join(root, "state/.env"), NodePath.join(root, "ws/second"))
        for (const command of ["cat second", "cat s*", "cut -c1-20 second", "grep -r . ."]) {
          assert.strictEqual(yield* category(root, ["ws", command]), "fs_read_outside", command)
        }
        assert.isUndefined(yield* category(root, ["ws", "cat a.txt"]))
      })
    )
  )

  it.live(
    "are in no output of a silent command, whatever names it has",
    () =>
      inWorld((root) =>
        Effect.gen(function* () {
          symlinkSync("state/.env", NodePath.join(root, "l[i]nk"))
          symlinkSync("state/.env", NodePath.join(root, "q[i]d"))
          symlinkSync("l[i]nk", NodePath.join(root, "twice"))
          symlinkSync("../..", NodePath.join(root, "state/sub/up"))
          const random = new SeededRandom(seed)
          let silentLines = 0
          for (let run = 0; run < lines; run++) {
            const command = lineOf(random)
            const workingDir = NodePath.join(root, random.pick([".", "state", "link", "ws", "state/sub", "clean"]))
            const planned = yield* plan("shell.run", { command }, workingDir)
            if (planned._tag === "Refused" || planned.need !== undefined) continue
            silentLines += 1
            const { summary } = yield* planned.run
            assert.notMatch(summary, /planted/, `${command} in ${workingDir}`)
          }
          assert.isAbove(silentLines, lines / 20)
        })
      ),
    // Hundreds of real commands, on a machine that may be busy.
    120_000
  )

  it.effect("are as private as the environment of a process", () =>
    inWorld(() =>
      Effect.gen(function* () {
        if (process.platform !== "linux") return
        for (const command of [`cut -c1-20 proc/${process.pid}/environ`, "cat proc/self/environ", "grep -r x proc"]) {
          const need = yield* needOf("shell.run", { command }, "/")
          // Every program lies in this working directory, so no command is silent.
          assert.strictEqual(typeof need === "object" && need.category, "shell", command)
        }
      })
    )
  )
})
