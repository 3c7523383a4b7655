import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as NodePath from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { parse } from "../../src/shell/Parser.ts"

const words = (source: string) => parse(source).commands.map((command) => command.words.map(({ text }) => text))

describe("the shell parser", () => {
  it("takes quotes off, and keeps what they hold together", () => {
    assert.deepStrictEqual(words(`a 'b c' "d e" f\\ g h'i'"j"\\k ''`), [["a", "b c", "d e", "f g", "hijk", ""]])
    assert.deepStrictEqual(words(`a "b\\"c\\\\d\\e" 'f\\g'`), [["a", `b"c\\d\\e`, "f\\g"]])
  })

  it("tells commands apart", () => {
    assert.deepStrictEqual(words("a|b;c&&d||e\nf"), [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]])
  })

  it("finds the commands in substitutions, groups, loops and functions", () => {
    const found = words('a $(b `c`) "$(d)" ${x:-$(e)}; (f); { g; }; if h; then i; fi; j() { k; }')
    assert.sameMembers(
      // The word in `${x:-…}` is looked at as a command too: better once too often.
      found.map(([name]) => name).filter((name) => name !== undefined && name !== "$(e)"),
      ["a", "b", "c", "d", "e", "f", "g", "h", "i", "k"]
    )
  })

  it("knows what is redirected, and what a here-document feeds", () => {
    const { commands } = parse("a >b 2>>c <<EOF >|d\nbody 1\nbody 2\nEOF\ne")
    assert.deepStrictEqual(
      commands.map(({ input, words: each, writes }) => [
        each.map((word) => word.text),
        writes.map((word) => word.text),
        input
      ]),
      [
        [["a"], ["b", "c", "d"], "body 1\nbody 2\n"],
        [["e"], [], ""]
      ]
    )
  })

  it("marks names that stand for files, where they are not quoted", () => {
    const globs = parse("a b*c 'd*' e\\* f? [g]").commands[0]?.words.map(({ globAt }) => globAt)
    assert.deepStrictEqual(globs, [-1, 1, -1, -1, 1, 0])
  })

  it("reads plain words as the shell itself does", () => {
    const pieces = [
      "p",
      "p ",
      "a",
      " ",
      "'",
      '"',
      "\\",
      "\n",
      ";",
      "|",
      "&&",
      "'a b'",
      '"a b"',
      "\\ ",
      "*",
      "?",
      "=",
      "~",
      "#",
      "-",
      "!",
      "é",
      "\t"
    ]
    const sources = fc
      .sample(fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 14 }), { numRuns: 6000, seed: 4 })
      .map((parts) => `p ${parts.join("")}`)
    const plain = sources.filter((source) => {
      const { commands, features } = parse(source)
      return (
        features.size === 0 && commands.every((command) => command.words[0]?.text === "p" && !/~|\|\|/.test(source))
      )
    })
    assert.isAbove(plain.length, 100)

    const cwd = mkdtempSync(NodePath.join(tmpdir(), "shell-"))
    // Every command says its words on another descriptor, so that pipes do not swallow them.
    const script = `p() { all=; for w do all="$all$w$(printf '\\001')"; done; printf '%s\\002' "$all" >&3; }; for each do (eval "$each"); printf '\\003' >&3; done`
    const output = execFileSync("sh", ["-c", `exec 3>&1; ${script}`, "sh", ...plain], { cwd, encoding: "utf8" })
    const made = readdirSync(cwd)
    rmSync(cwd, { recursive: true })
    assert.deepStrictEqual(made, [])

    const real = output
      .split("\x03")
      .slice(0, -1)
      .map((all) => all.split("\x02").slice(0, -1))
    assert.strictEqual(real.length, plain.length)
    for (const [index, source] of plain.entries()) {
      const mine = words(source).map(([, ...rest]) => rest.map((word) => `${word}\x01`).join(""))
      assert.sameMembers(real[index] ?? [], mine, JSON.stringify(source))
    }
  })
})
