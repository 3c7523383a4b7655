import { assert, describe, it } from "@effect/vitest"
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
    ["'a, b' c", "a b"],
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
})
