import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as NodePath from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { composeLine } from "../../../src/shell/reads/ComposeLine.ts"
import { parse } from "../../../src/shell/Parser.ts"
import { judge } from "../../../src/shell/Rules.ts"
import { unattendedRun } from "../../../src/tools/shell/UnattendedShell.ts"
import { plant } from "../fixture.ts"

/** Names and patterns, of which some lead out of the folder that `plantWorld` makes. */
const words = [
  ["a.txt", "clean", "clean/a.txt", "clean/b.ts", "./clean", "clean/sub/i.txt", "none", "clean/.h1", "in", "-"],
  ["'clean/b c'", "clean/b\\ c", '"clean/it\'s"', "'clean/q\"q'", "clean/é", "'clean/new\nline'", "'clean/*'"],
  ["-- clean/-n", "-- -n", "-- --files0-from=x", "-- --no-dereference", "-- +5", "+5", "@f", "'if'", "'$x'", "'a!b'"],
  [
    "clean/*",
    "clean/*.ts",
    "clean/[-+]*",
    "clean/?",
    "clean/??",
    "'clean'/*",
    "c*n/[!a]*",
    "clean/.h*",
    "clean/*/",
    "*n/a*"
  ],
  [
    "clean/[id].ts",
    "clean/\\*",
    'clean/"*"*',
    "clean/**",
    "*/i.txt",
    "*/*/i.txt",
    "clean/[a-c]*",
    "clean/[z-a]",
    "none*"
  ],
  ["[-]*", "[-]n", "*", "??", "[a'b]*", "[[:alpha:]]*", "[\\]a]*", "bytes/*", "bytes/*.ts", "-*", "[+@]*"],
  [
    "out",
    "out/secret",
    "out/*",
    "links/*",
    "links/[id].ts",
    "links/?",
    "links/??",
    "links/s",
    "links/-l",
    "up",
    "up/*"
  ],
  ["*/secret", "*/*/secret", "links", "loop", "../x", "/etc/passwd", "~", "links/*/*", "l*s/[s]", ".*", "links/é"]
].flat()

const commands = [
  ["cat P", "cat -n P P", "head -n 2 P", "tail -2 P", "wc P", "wc -l P P", "ls P", "ls -la P", "ls -R P", "ls -F P"],
  ["stat -c %n P", "file P", "du P", "du -a P", "df P", "grep -rn S P", "grep P P", "grep -f P a.txt", "grep -h '' P"],
  ["grep --file=P clean/a.txt", "grep -e P P", "grep -rn --include=*.ts S P", "sort P", "sort P P", "uniq P"],
  ["cut -c1-3 P", "tr a P", "diff -r P P", "diff -rN P", "diff -rN -- --no-dereference P", "diff P P", "cmp P P"],
  ["basename P", "dirname P", "realpath P", "readlink -f P", "find P", "find P -name P", "find . -newer P", "echo P P"],
  ["printf %s P", "true P", "which P", "date -r P +%s", "id", "pwd", "uname -s", "tree P", "rg S P"]
].flat()

const joiners = [" | ", " && ", " || ", "; ", " 2>&1 | ", " 2>&1; ", "\n"]

/** Command lines, of which each `P` has become a word. */
const linesOf = (count: number, seed: number, from: ReadonlyArray<string>): ReadonlyArray<string> => {
  const command = fc
    .tuple(fc.constantFrom(...commands), fc.array(fc.constantFrom(...from), { minLength: 2, maxLength: 2 }))
    .map(([template, [one = "", two = ""]]) => template.replace("P", () => one).replace(/P$|P(?= )/, () => two))
  const line = fc
    .tuple(fc.array(command, { minLength: 1, maxLength: 3 }), fc.constantFrom(...joiners))
    .map(([all, joiner]) => all.join(joiner))
  return fc.sample(line, { numRuns: count, seed })
}

const secret = "SECRET-OF-ANOTHER-FOLDER"
let base = ""
let root = ""

const plantWorld = () => {
  base = realpathSync(mkdtempSync(NodePath.join(tmpdir(), "oracle-")))
  root = NodePath.join(base, "root")
  const outside = NodePath.join(base, "outside")
  const names = [
    "a.txt",
    "b.ts",
    "b c",
    "it's",
    'q"q',
    "é",
    "new\nline",
    "*",
    "-n",
    "+5",
    "@f",
    ".h1",
    "[x]",
    "\\",
    "!"
  ]
  const files = Object.fromEntries(names.map((name) => [`root/clean/${name}`, "S 1\nS 2\n"]))
  const others = {
    "root/a.txt": "S\n",
    "root/x": `${outside}/secret\0`,
    "root/-n": "S\n",
    "root/--files0-from=x": "S\n"
  }
  plant(base, {
    ...files,
    ...others,
    "root/clean/sub/i.txt": "S\n",
    "outside/secret": `${secret}\n`,
    "root/links/": ""
  })
  plant(base, { "root/--no-dereference/": "", "root/bytes/": "", "root/clean/--files0-from=x": "S\n" })
  for (const [name, target] of [
    ["links/[id].ts", "secret"],
    ["links/é", "secret"],
    ["links/s", "secret"],
    ["links/-l", "secret"],
    ["links/d", ""],
    ["out", ""]
  ] as const) {
    symlinkSync(NodePath.join(outside, target), NodePath.join(root, name))
  }
  symlinkSync("..", NodePath.join(root, "up"))
  symlinkSync("loop", NodePath.join(root, "loop"))
  symlinkSync("clean/sub", NodePath.join(root, "in"))
  const odd = Buffer.concat([Buffer.from(`${root}/bytes/`), Buffer.from([0xff]), Buffer.from(".ts")])
  // Some file systems have no such names.
  try {
    symlinkSync(NodePath.join(outside, "secret"), odd)
  } catch {}
}

/** The lines that run without a question, as they are composed. */
const silentOf = async (lines: ReadonlyArray<string>) => {
  const silent: Array<{ readonly given: string; readonly line: string }> = []
  for (const given of lines) {
    const verdict = judge(given, { cwd: root, home: undefined, env: {} }, "linux")
    const run = verdict._tag === "ReadOnly" ? await unattendedRun(verdict.plan, root, root, undefined) : undefined
    if (run !== undefined) silent.push({ given, line: composeLine(run.commands) })
  }
  return silent
}

const has = (program: string) => spawnSync(program, ["--version"]).error === undefined

/** The words of each command; undefined for one that does not run if all of them succeed. */
const expected = (line: string): ReadonlyArray<ReadonlyArray<string> | undefined> => {
  let isSkipped = false
  return parse(line).commands.map(({ joint, words: each }) => {
    if (joint !== "|") isSkipped = joint === "||"
    return isSkipped ? undefined : each.map(({ text }) => text)
  })
}

/** Runs lines in one shell, their input closed. */
const runAll = (shell: ReadonlyArray<string>, before: string, lines: ReadonlyArray<string>) => {
  const script = NodePath.join(base, "script")
  writeFileSync(script, `${before}\n${lines.map((line) => `{\n${line}\n} </dev/null\n`).join("")}exit 0\n`)
  const [program = "", ...args] = shell
  const env = { PATH: "/usr/bin:/bin" }
  const done = spawnSync(program, [...args, script], { cwd: root, env, encoding: "latin1", maxBuffer: 2 ** 28 })
  assert.strictEqual(done.status, 0, `${done.error ?? done.stderr.slice(-2000)}`)
  return done
}

describe("a line that nobody is asked about", () => {
  const { PATH } = process.env
  let judged: ReturnType<typeof silentOf>
  beforeAll(async () => {
    plantWorld()
    process.env["PATH"] = ""
    judged = silentOf(linesOf(2500, 14, words))
    await judged
  })
  afterAll(() => {
    process.env["PATH"] = PATH
    rmSync(base, { recursive: true })
  })

  it.each(["dash", "bash"].some(has) ? ["dash", "bash"].filter(has) : ["sh"])(
    "gives each program the words that were judged, in %s",
    async (shell) => {
      const silent = await judged
      assert.isAbove(silent.length, 700)
      // A function in the place of the program writes what the shell makes of the words into a file of its own.
      const folder = mkdtempSync(NodePath.join(base, "words-"))
      const recorder = `p() { n=$1; shift; for w do printf '%s\\0' "$w"; done > ${folder}/$n; }`
      let count = 0
      const marked = silent.map(({ line }) =>
        line.replaceAll(/(^|(?:\||&&|;) )(?='\/[a-z/]+')/g, (before) => `${before}p ${count++} `)
      )
      runAll([shell], recorder, marked)
      const all = silent.flatMap(({ given, line }) => expected(line).map((mine) => ({ given, line, mine })))
      assert.strictEqual(all.length, count)
      for (const [index, { given, line, mine }] of all.entries()) {
        const file = NodePath.join(folder, `${index}`)
        const real = existsSync(file) ? readFileSync(file, "utf8").split("\0").slice(0, -1) : undefined
        assert.deepStrictEqual(real, mine, JSON.stringify({ given, line }))
        if (mine !== undefined) assert.isTrue(existsSync(mine[0] ?? ""), given)
      }
    }
  )

  it("prints nothing from beyond the working directory", async () => {
    const silent = await silentOf(linesOf(500, 15, words))
    const { stderr, stdout } = runAll(
      ["sh"],
      "",
      silent.map(({ line }) => line)
    )
    assert.include(stdout, "S 1")
    assert.notInclude(stdout + stderr, secret)
  })

  it.skipIf(!has("strace"))(
    "opens, writes, runs and reaches nothing else (left out where there is no strace)",
    async () => {
      const trace = NodePath.join(base, "trace")
      const calls =
        "trace=open,openat,openat2,creat,execve,connect,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat"
      const shell = ["strace", "-f", "-y", "-qq", "-e", "signal=none", "-e", calls, "-o", trace, "sh"]
      const traced = async (lines: ReadonlyArray<string>) => {
        const silent = await silentOf(lines)
        runAll(
          shell,
          "",
          silent.map(({ line }) => line)
        )
        const done = readFileSync(trace, "latin1")
          .split("\n")
          .filter((each) => !/ = -1 /.test(each) && !each.includes("<unfinished"))
        const writing = /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC| (?:creat|unlink|rename|mkdir)/
        const opened = done.flatMap(
          (each) => /open.* = \d+<(\/.*)>$/.exec(each)?.[1]?.replace(/^\/proc\/\d+/, "/proc/self") ?? []
        )
        return {
          count: silent.length,
          written: done.filter((each) => writing.test(each) && !each.includes("/dev/null")),
          beyond: new Set(opened.filter((path) => path !== root && !path.startsWith(`${root}/`))),
          other: new Set(
            done.flatMap((each) => /\b(?:execve\("[^"]*"|connect\(\d+<[^>]*>, .*\))/.exec(each)?.[0] ?? [])
          )
        }
      }
      // What programs read by themselves is what they read with names that are known to be harmless.
      const harmless = await traced(commands.map((each) => each.replaceAll(/P$|P(?= )/g, "clean/a.txt")))
      const { beyond, count, other, written } = await traced(linesOf(350, 16, words))
      assert.isAbove(count, 100)
      assert.isAbove(beyond.size, 5)
      assert.deepStrictEqual(written, [])
      assert.deepStrictEqual(
        [...beyond].filter((path) => !harmless.beyond.has(path)),
        []
      )
      const strangers = [...other].map((each) => each.replace(/\d+</, "<"))
      const known = [...harmless.other].map((each) => each.replace(/\d+</, "<"))
      assert.deepStrictEqual(
        strangers.filter((each) => !known.includes(each)),
        []
      )
    }
  )
})
