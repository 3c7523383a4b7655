import { assert, describe, it } from "@effect/vitest"
import { parse } from "../../src/shell/Parser.ts"
import { planReads } from "../../src/shell/reads/ReadOnly.ts"
import type { PlannedWord } from "../../src/shell/reads/ReadPlan.ts"

/** `text`, `<name>` with the text before it, `(operand)`, `(pattern*)`, `{printed*}`. */
const shown = (word: PlannedWord): string => {
  if (word._tag === "Text") return word.text
  if (word._tag === "Name") return `${word.prefix}<${word.name}>`
  const text = word.parts.map((part) => part.text).join("")
  assert.strictEqual(word.isPattern, /[*?[]/.test(text))
  return word.isPrinted ? `{${text}}` : `(${text})`
}

const planned: ReadonlyArray<readonly [line: string, words: string]> = [
  ["cat a", "cat (a)"],
  ["cat a -n *.ts", "cat -n (a) (*.ts)"],
  ["cat a -- -n", "cat -- (a) (-n)"],
  ["head -5 a -c 3", "head -5 -c 3 (a)"],
  ["grep x* a*", "grep x* (a*)"],
  ["grep a -e x", "grep -e x (a)"],
  ["grep -rn --include=*.ts -A 2 x", "grep -rn --include=*.ts -A 2 x"],
  ["grep -f list a", "grep -f <list> (a)"],
  ["grep -xflist a", "grep -xf<list> (a)"],
  ["grep --file=list a", "grep --file=<list> (a)"],
  ["grep --file list a", "grep --file <list> (a)"],
  ["ls -I x -w80 a", "ls -I <x> -w<80> (a)"],
  ["date -r a +%s", "date -r <a> +%s"],
  ["tr [a-z] [A-Z]", "tr [a-z] [A-Z]"],
  ["echo -n a* b", "echo -n {a*} b"],
  ["printf %s *", "printf %s {*}"],
  ["find a* -name *.ts -newer b", "find (a*) -name *.ts -newer <b>"],
  ["tree --sort size -h a", "tree --sort (size) -h (a)"],
  ["git --no-pager log -n 2 HEAD -- *.ts", "git --no-pager log -n 2 <HEAD> -- <*.ts>"],
  ["ls a 2>&1 | wc -l && pwd || true 1>&2 2>&1", "ls (a) 2>&1 | wc -l && pwd || true 1>&2 2>&1"],
  ["ls\npwd;\n\nid", "ls ; pwd ; id"]
]

describe("the plan of a line that only reads", () => {
  it.each(planned)("%j", (line, words) => {
    const all = (planReads(parse(line)) ?? []).map(({ joins, joint, tool, words: each }, index) =>
      [...(index === 0 ? [] : [joint]), tool, ...each.map(shown), ...joins].join(" ")
    )
    assert.strictEqual(all.join(" "), words)
  })
})
