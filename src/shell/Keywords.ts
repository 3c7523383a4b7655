import type { Word } from "./Syntax.ts"

const keywords = new Set(
  "! { } if then else elif fi for while until do done case esac in select function time coproc [[ ]]".split(" ")
)

/** Keywords that a command can follow. */
const openers = new Set("! { if then else elif while until do time".split(" "))

/** Splits the words of a command into the keywords at their start and the rest. */
export const afterKeywords = (words: ReadonlyArray<Word>) => {
  const leading: Array<string> = []
  let defines: string | undefined
  let at = 0
  for (;;) {
    const word = words[at]
    // With options, `time` may be the program of that name.
    const isProgram = word?.text === "time" && words[at + 1]?.text.startsWith("-") === true
    if (word?.isBare !== true || !keywords.has(word.text) || isProgram) {
      return { keywords: leading, words: words.slice(at), ...(defines !== undefined && { defines }) }
    }
    leading.push(word.text)
    at += 1
    // Behind these follows a name, not a command.
    if (word.text === "function") {
      defines = words[at]?.text
      at += 1
    } else if (word.text === "coproc" && isKeyword(words[at + 1], "{")) at += 1
  }
}

/** True for the words of `case … in`, which patterns follow. */
export const isCaseHead = (words: ReadonlyArray<Word>): boolean =>
  isKeyword(words.at(-1), "in") &&
  isKeyword(words.at(-3), "case") &&
  words.slice(0, -3).every((word) => word.isBare && openers.has(word.text))

/** True for the words of `for x`, which `do` may follow at once. */
export const isLoopHead = (words: ReadonlyArray<Word>): boolean =>
  isKeyword(words.at(-2), "for") && words.slice(0, -2).every((word) => word.isBare && openers.has(word.text))

const isKeyword = (word: Word | undefined, text: string): boolean => word?.isBare === true && word.text === text
