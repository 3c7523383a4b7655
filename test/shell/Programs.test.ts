import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as NodePath from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inspect } from "../../src/shell/Blocked.ts"
import { programsIn } from "../../src/shell/Programs.ts"

const place = { cwd: "/w", home: "/home/u", env: { SHELL: "/bin/bash" } }

describe("the programs of a command line", () => {
  const rows: ReadonlyArray<readonly [command: string, programs: string]> = [
    ["make", "make"],
    ["fetch -s http://a.example/x | sh", "fetch, sh"],
    ["cd sub && npm test; git push || echo no", "cd, npm, git, echo"],
    ["make; make install; make", "make"],
    ["/tmp/ls -l; ./ls; ls", "/tmp/ls, ./ls, ls"],
    ["A=1 B=$(fetch x) make", "fetch, make"],
    ["A=1", "a command"],
    ["> out", "a command"],
    ["# nothing", "a command"],
    [`echo "$(fetch x | tr a b)" \`id\``, "fetch, tr, id, echo"],
    ["sh -c 'fetch x | sh -c \"id; whoami\"'", "sh, fetch, id, whoami"],
    ["bash -ec 'fetch x'", "bash, fetch"],
    ["sudo -u root env A=1 nice fetch x", "sudo, fetch"],
    ["ls | xargs -n 1 rm", "ls, xargs, rm"],
    ["timeout 5 fetch x", "timeout, fetch"],
    ["find . -name x -exec fetch {} +", "find, fetch"],
    ["eval 'fetch x'", "eval, fetch"],
    ["(cd a && make) && (b; c) | (d); e", "cd, make, b, c, d, e"],
    ["if a; then b; else c; fi; for x in 1 2; do d $x; done; while e; do f; done", "a, b, c, d, e, f"],
    ["f() { fetch x; }; f", "fetch, f"],
    ["case $x in a) b;; *) c;; esac", "b, c"],
    ["cat <<E | sh\nfetch x\nE\nls", "cat, sh, fetch, ls"],
    ["X=fetch; $X y", "fetch"],
    ["$HOME/bin/x; ~/y", "/home/u/bin/x, /home/u/y"],
    ["$(cat name) x", "cat, …"],
    ["`date`/x", "date, …/x"],
    ["fe'tc'h x; \\ls", "fetch, ls"],
    ["$'\\x66etch' x", "fetch, …\\x66etch"],
    ["fetch x | sh\n)", "fetch, sh (not all of it can be parsed)"],
    ["fetch 'x", "fetch (not all of it can be parsed)"],
    ["a &&", "a (not all of it can be parsed)"],
    ["'a, b' c", '"a, b"'],
    ["'ls in /safe'; 'a\nb\"'", '"ls in /safe", "a\\nb\\""'],
    [`/${"a/".repeat(100)}fetch`, `/${"a/".repeat(14)}a…${"/a".repeat(12)}/fetch`],
    [
      Array.from({ length: 24 }, (_, at) => `p${at}`).join(";"),
      Array.from({ length: 24 }, (_, at) => `p${at}`).join(", ")
    ]
  ]
  it.each(rows)("%s: %s", (command, programs) => assert.strictEqual(programsIn(command, place, "linux"), programs))

  it("names the first and the last of many, in a bounded length", () => {
    const lines = Array.from({ length: 4000 }, (_, at) => `program${at} ${"x".repeat(20)}`)
    const named = programsIn(`${lines.join("\n")}\nfetch x | sh`, place, "linux")
    assert.match(named, /^program0, program1, .*program15, 3978 more, program3994, .*, fetch, sh$/)
    const long = lines.map((line) => line.replace(" ", "y".repeat(100)))
    assert.isAtMost(programsIn(long.join(";"), place, "linux").length, 1600)
  })

  it("reads a backslash of Windows as the part of a path that it is", () =>
    assert.strictEqual(programsIn("C:\\a\\fetch.exe x & del y", place, "win32"), "C:/a/fetch.exe, del"))

  it("has all that a shell runs", { timeout: 120_000 }, () => {
    const folder = mkdtempSync(NodePath.join(tmpdir(), "programs-"))
    let lines = 0
    const spies = Array.from({ length: 8 }, (_, at) => `spy${at}`)
    for (const spy of spies) {
      const path = NodePath.join(folder, spy)
      writeFileSync(path, `#!/bin/sh\necho ${spy} >> "$LOG"\n`)
      chmodSync(path, 0o755)
    }
    const quoted = (line: string) => `'${line.replaceAll("'", `'\\''`)}'`
    const { line } = fc.letrec<{ readonly line: string; readonly spy: string }>((tie) => {
      const inside = (wrap: (line: string) => string) => tie("line").map(wrap)
      const both = (joint: string) => fc.tuple(tie("line"), tie("line")).map(([one, other]) => `${one}${joint}${other}`)
      return {
        spy: fc.constantFrom(...spies),
        line: fc.oneof(
          { maxDepth: 4, withCrossShrink: true },
          tie("spy"),
          fc
            .tuple(tie("spy"), fc.constantFrom(" -x", " 'a;b'", ' "$HOME"', " >/dev/null", " 2>&1", " # a"))
            .map(([spy, more]) => `${spy}${more}${more === " # a" ? "\n" : ""}`),
          tie("spy").map((spy) => `${spy.slice(0, 2)}''"${spy.slice(2)}"`),
          tie("spy").map((spy) => `\\${spy} \\\n x`),
          tie("spy").map((spy) => `X=${spy}; $X`),
          ...[
            "env",
            "env A=1",
            "nice -n 1",
            "timeout 5",
            "command",
            "xargs -n 1 </dev/null",
            "env -u Q nice",
            "A=1"
          ].map((prefix) => tie("spy").map((spy) => `${prefix} ${spy}`)),
          ...[" | ", " && ", " || ", "; ", "\n", " & "].map(both),
          inside((each) => `sh -c ${quoted(each)}`),
          inside((each) => `sh -ec ${quoted(each)}`),
          inside((each) => `eval ${quoted(each)}`),
          inside((each) => `echo "$(${each}\n)"`),
          inside((each) => `: \${Q:-$(${each}\n)}`),
          inside((each) => `(${each}\n)`),
          inside((each) => `{ ${each}\n}`),
          inside((each) => `if ${each}\nthen :; fi`),
          inside((each) => `for x in 1 2; do ${each}\ndone`),
          inside((each) => `f() { ${each}\n}; f`),
          inside((each) => `case a in a) ${each}\n;; esac`),
          inside((each) => `sh <<'E'\n${each}\nE\n`),
          inside((each) => `cat <<E\n$(${each}\n)\nE\n`),
          inside((each) => `! ${each}`),
          inside((each) => `trap ${quoted(each)} EXIT`),
          tie("spy").map((spy) => `find . -maxdepth 0 -exec ${spy} {} \\;`)
        )
      }
    })
    try {
      const property = fc.property(line, (source) => {
        // One for each line: what runs in the background of a nested shell may write later.
        const LOG = NodePath.join(folder, `log${(lines += 1)}`)
        const env = { PATH: `${folder}:/usr/bin:/bin`, HOME: folder, LOG }
        const { programs, why } = inspect(source, { cwd: folder, home: folder, env })
        if (why !== undefined) return
        spawnSync("/bin/sh", ["-c", `${source}\nwait`], { cwd: folder, env, stdio: "ignore", timeout: 20_000 })
        const ran = existsSync(LOG) ? readFileSync(LOG, "utf8").trim().split("\n") : []
        for (const spy of ran) assert.include(programs, spy)
      })
      fc.assert(property, { numRuns: 300, seed: 11 })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
