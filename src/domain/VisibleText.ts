/**
 * Matches characters that are invisible or change the look of the text around them: controls, marks of direction,
 * spaces without a width. Not those that join letters or select their form, since scripts and emoji need them.
 */
const hidden = (): RegExp =>
  (compiled ??= /[[\p{Cc}\p{Zl}\p{Zp}\p{DI}\ufff9-\ufffb]--[\p{Join_Control}\p{Variation_Selector}]]/gv)

/** Compiled on first use, since that takes 2 ms. */
let compiled: RegExp | undefined

const escaped = (char: string): string => {
  const code = char.codePointAt(0) ?? 0
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`
}

/**
 * Makes a text safe to show to a person, even on a terminal: characters that a terminal would obey, or that make a text
 * look like another one, are escaped. Tabs and line breaks (LF or CR LF) stay.
 */
export const visibleText = (text: string): string =>
  text.replaceAll(hidden(), (char, at: number) =>
    char === "\n" || char === "\t" || (char === "\r" && text[at + 1] === "\n") ? char : escaped(char)
  )

/** As `visibleText`, on one line: line breaks and tabs are escaped too. */
export const visibleLine = (text: string): string => text.replaceAll(hidden(), escaped)
