/**
 * What is not seen, or changes how the text around it is seen: controls, marks of direction, spaces without a width. Not
 * what joins letters and picks their form: scripts and emoji need that.
 */
const hidden = (): RegExp =>
  (compiled ??= /[[\p{Cc}\p{Zl}\p{Zp}\p{DI}\ufff9-\ufffb]--[\p{Join_Control}\p{Variation_Selector}]]/gv)

/** Reading the sets takes 2 ms: not at the start of every process. */
let compiled: RegExp | undefined

const escaped = (char: string): string => {
  const code = char.codePointAt(0) ?? 0
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`
}

/**
 * A text as a person may be shown it, on a terminal too: what would be obeyed instead of shown, or could make it look
 * like another text, is escaped. Tabs and line breaks stay, with a CR or without.
 */
export const visibleText = (text: string): string =>
  text.replaceAll(hidden(), (char, at: number) =>
    char === "\n" || char === "\t" || (char === "\r" && text[at + 1] === "\n") ? char : escaped(char)
  )

/** The same on one line: line breaks and tabs are escaped too. */
export const visibleLine = (text: string): string => text.replaceAll(hidden(), escaped)
