import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { ShellPlace } from "../../src/shell/ProtectedPaths.ts"
import { judge } from "../../src/shell/Rules.ts"
import { asking, blocked, broken, silent, smuggled } from "./table.ts"

const place: ShellPlace = { cwd: "/home/ada/project", home: "/home/ada", env: {} }
const verdict = (command: string) => judge(command, place, "linux")._tag

describe("a shell command", () => {
  it.each(silent)("only reads: %j", (command) => assert.strictEqual(verdict(command), "ReadOnly"))
  it.each(asking)("asks: %j", (command) => assert.strictEqual(verdict(command), "Asks"))
  it.each(smuggled)("does not slip through: %j", (command) => assert.strictEqual(verdict(command), "Asks"))
  it.each(broken)("asks, broken as it is: %j", (command) => assert.strictEqual(verdict(command), "Asks"))
  it.each(blocked)("is blocked: %j", (command) => assert.strictEqual(verdict(command), "Blocked"))

  it("says why it is blocked", () => {
    assert.deepStrictEqual(judge("rm -rf /", place, "linux"), {
      _tag: "Blocked",
      why: "it erases / or the home directory"
    })
  })

  it("is blocked by what the environment says, as the shell will see it", () => {
    const withEnv = (command: string, env: { readonly [name: string]: string }) =>
      judge(command, { ...place, env }, "linux")._tag
    assert.strictEqual(withEnv('rm -rf "$TOP/"', { TOP: "/srv/x" }), "Asks")
    assert.strictEqual(withEnv('rm -rf "$TOP/"', { TOP: "" }), "Blocked")
    assert.strictEqual(withEnv("rm -rf $TOP", { TOP: "/home/ada" }), "Blocked")
    assert.strictEqual(withEnv("rm -rf $TOP/..", { TOP: "/srv" }), "Blocked")
  })

  it.each([
    ["commands", "ls;".repeat(30_000)],
    ["settings", "A=1; ".repeat(5_000)],
    ["pipes", "ls | ".repeat(20_000)],
    ["blanks", " ".repeat(120_000)],
    ["line breaks", "\n".repeat(120_000)],
    ["words", `echo ${"a ".repeat(60_000)};`],
    ["loops", `for x in ${"a ".repeat(5_000)}; do ls; done;`],
    ["a comment", `#${"x".repeat(120_000)}\n`],
    ["a text", `echo '${"x".repeat(120_000)}';`]
  ])("is blocked behind any number of %s", (_, before) => {
    assert.strictEqual(verdict(`${before}rm -rf /`), "Blocked")
    assert.strictEqual(verdict(`${before}mv x y`), "Asks")
  })

  it("is blocked by the last of any number of values", () => {
    const many = Array.from({ length: 500 }, (_, index) => `x${index}`).join(" ")
    assert.strictEqual(verdict(`for x in ${many} /; do rm -rf $x; done`), "Blocked")
    assert.strictEqual(verdict(`rm -rf ${many} /`), "Blocked")
  })

  it.each([
    ["(", ")"],
    ["$(", ")"],
    ["eval ", ""]
  ])("is not run if it is nested too deep to be looked into: %s", (open, close) => {
    assert.strictEqual(verdict(`${open.repeat(200)}rm -rf /${close.repeat(200)}`), "Blocked")
  })

  it("is not run if it is too long to be looked at", () => {
    const verdict = judge(`echo ${"x".repeat(200_000)}`, place, "linux")
    assert.deepStrictEqual(verdict, {
      _tag: "Blocked",
      why: "it is longer than 131072 characters; write it to a file and run that"
    })
  })

  it("names what it erases, for it to be looked at where that leads", () => {
    const erased = (command: string) => {
      const verdict = judge(command, place, "linux")
      return verdict._tag === "Asks" ? verdict.erases : verdict._tag
    }
    assert.deepStrictEqual(erased("rm -rf rt/ 'a b' c*/"), [
      "/home/ada/project/rt/",
      "/home/ada/project/a b",
      "/home/ada/project/c*/"
    ])
    assert.deepStrictEqual(erased("cd x; find y -delete"), ["/home/ada/project/x/y"])
    assert.deepStrictEqual(erased("rm -rf $(cat list)"), [])
    assert.deepStrictEqual(erased("rm a"), [])
  })

  it("never only reads on Windows, where cmd takes the same characters for something else", () => {
    for (const command of silent) assert.strictEqual(judge(command, place, "win32")._tag, "Asks", command)
  })

  it("is blocked on Windows by the names that things have there", () => {
    const there = { cwd: "C:\\Users\\Ada\\project", home: "C:\\Users\\Ada", env: {} }
    const commands = [
      "rd /s /q C:\\",
      "rmdir /S C:\\Users\\Ada",
      "del /f /s /q %USERPROFILE%\\*",
      "Remove-Item -Recurse $env:USERPROFILE",
      "format d:",
      "shutdown /s /t 0",
      "C:\\Windows\\System32\\shutdown.exe /r",
      "dd if=x of=\\\\.\\PhysicalDrive0"
    ]
    for (const command of commands) assert.strictEqual(judge(command, there, "win32")._tag, "Blocked", command)
    for (const command of ["rd /s /q build", "del C:\\x.txt", "shutdown /a", "format.js C"]) {
      assert.strictEqual(judge(command, there, "win32")._tag, "Asks", command)
    }
  })

  it("may speak of what is blocked", () => {
    for (const command of blocked) {
      if (/[\n']/.test(command)) continue
      assert.strictEqual(verdict(`grep -rn '${command}' docs`), "ReadOnly", command)
    }
  })
})

const joiner = fc.constantFrom(" && ", " || ", ";", "; ", " | ", "|", "&&", "\n")
const join = (commands: ReadonlyArray<string>, joiners: ReadonlyArray<string>) =>
  commands.reduce((line, command, index) => line + (joiners[index % joiners.length] ?? ";") + command)

const harmless = fc.constantFrom(...silent.filter((command) => !command.endsWith(";")))
const harmful = fc.constantFrom(...asking.filter((command) => command !== ""), ...smuggled, ...blocked)

describe("commands put together", () => {
  it("only read where each of them does", () => {
    fc.assert(
      fc.property(
        fc.array(harmless, { minLength: 1, maxLength: 6 }),
        fc.array(joiner, { minLength: 1 }),
        (commands, joiners) => {
          assert.strictEqual(verdict(join(commands, joiners)), "ReadOnly")
        }
      ),
      { numRuns: 500 }
    )
  })

  it("never only read where one of them does more", () => {
    fc.assert(
      fc.property(
        fc.array(harmless, { maxLength: 4 }),
        harmful,
        fc.nat(),
        fc.array(joiner, { minLength: 1 }),
        (commands, bad, at, joiners) => {
          const all = commands.toSpliced(at % (commands.length + 1), 0, bad)
          assert.notStrictEqual(verdict(join(all, joiners)), "ReadOnly")
        }
      ),
      { numRuns: 2000 }
    )
  })

  it("never only read with a substitution, a redirection or a variable at the end of a word", () => {
    const additions = [
      "$(rm x)",
      "`rm x`",
      "$X",
      '"$X"',
      " >x",
      ">x",
      " <x",
      " 2>x",
      " &",
      "&rm x",
      ";rm x",
      "|sh",
      "\nrm x",
      " /etc",
      " ../x",
      " ~"
    ]
    fc.assert(
      fc.property(harmless, fc.constantFrom(...additions), (command, addition) => {
        fc.pre(!/^(echo|true|printf|id|tr)\b/.test(command) || !/^ [/.~]/.test(addition))
        fc.pre(!/[;|&\n]/.test(command) || !/^ [/.~]/.test(addition))
        assert.notStrictEqual(verdict(command + addition), "ReadOnly")
      }),
      { numRuns: 2000 }
    )
  })

  it("are blocked wherever the blocked one stands, and in whatever runs it", () => {
    const wraps: ReadonlyArray<(command: string) => string> = [
      (command) => command,
      (command) => `sudo ${command}`,
      (command) => `sh -c '${command}'`,
      (command) => `(${command})`,
      (command) => `echo $(${command})`,
      (command) => `echo "\`${command}\`"`,
      (command) => `{ ${command}; }`,
      (command) => `if x; then ${command}; fi`,
      (command) => `nohup ${command} &`,
      (command) => `eval '${command}'`
    ]
    const simple = blocked.filter((command) => /^(rm|mkfs|dd|shutdown|reboot|find)[^'"`$\\&|;\n]*$/.test(command))
    assert.isAbove(simple.length, 20)
    fc.assert(
      fc.property(
        fc.array(harmless, { maxLength: 3 }),
        fc.constantFrom(...simple),
        fc.constantFrom(...wraps),
        (commands, bad, wrap) => {
          const line = [...commands, wrap(bad)].join("; ")
          assert.strictEqual(verdict(line), "Blocked")
        }
      ),
      { numRuns: 1000 }
    )
  })

  it("get a verdict whatever they are, and soon", () => {
    const pieces = [
      "'",
      '"',
      "`",
      "$(",
      ")",
      "${",
      "}",
      "\\",
      "<<",
      "EOF",
      "\n",
      "|",
      "&",
      ";",
      "(",
      "{",
      "rm",
      "-rf",
      "/",
      "ls",
      " ",
      "#",
      "[",
      "*",
      "é",
      "\0"
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 60 }), (parts) => {
        assert.include(["ReadOnly", "Asks", "Blocked"], verdict(parts.join("")))
      }),
      { numRuns: 3000 }
    )
    for (const piece of [
      ...pieces,
      "a{",
      "sudo ",
      "$(ls ",
      "f(){f|",
      "sh -c '",
      "${a",
      "-",
      "=",
      "a=1 ",
      "X=$X$X;",
      "X=$X$X$X$X; rm $X;",
      "{a,b}",
      "for x in $x /*; do",
      "{ ",
      "if ",
      "[[ ",
      "case x in ",
      "${x:-",
      "export A=$A$A ",
      "$'"
    ]) {
      assert.include(["ReadOnly", "Asks", "Blocked"], verdict(piece.repeat(20_000)), piece)
    }
  })
})
