import type { Word } from "./Syntax.ts"

const keywords = new Set(
  "! { } if then else elif fi for while until do done case esac in select function time coproc [[ ]]".split(" ")
)

/** Those that a command can follow. */
const openers = new Set("! { if then else elif while until do time".split(" "))

/** What is left of the words of a command without the keywords before it. */
export const afterKeywords = (words: ReadonlyArray<Word>) => {
  const found: Array<string> = []
  let at = 0
  for (;;) {
    const word = words[at]
    if (word?.isBare !== true || !keywords.has(word.text)) return { keywords: found, words: words.slice(at) }
    found.push(word.text)
    at += 1
    // What these are followed by is a name or an option of theirs, and no command.
    if (word.text === "function") at += 1
    else if (word.text === "time" && words[at]?.text === "-p") at += 1
    else if (word.text === "coproc" && isKeyword(words[at + 1], "{")) at += 1
  }
}

/** Whether these are the words of `case … in`: patterns come next. */
export const isCaseHead = (words: ReadonlyArray<Word>): boolean =>
  isKeyword(words.at(-1), "in") &&
  isKeyword(words.at(-3), "case") &&
  words.slice(0, -3).every((word) => word.isBare && openers.has(word.text))

const isKeyword = (word: Word | undefined, text: string): boolean => word?.isBare === true && word.text === text
