/**
 * How far the content has been split: before its first word (`opening`), in the white space at the start of a `<think>`
 * block (`blank`), in the block, in the white space behind it, or in the text.
 */
export interface ThinkState {
  readonly phase: "opening" | "blank" | "thinking" | "behind" | "text"
  /** Text that cannot be classified yet: white space, or the beginning of a tag. */
  readonly held: string
}

export interface ThinkStep {
  readonly state: ThinkState
  readonly reasoning: string
  readonly text: string
}

const open = "<think>"
const close = "</think>"

export const start: ThinkState = { phase: "opening", held: "" }

/**
 * Splits content into reasoning and text (contract 6): a `<think>` block that opens the content is reasoning, without
 * the white space around it; the same characters later are text. Blank lines before the first word are dropped.
 */
export const push = (state: ThinkState, content: string): ThinkStep => {
  if (state.phase === "text") return { state, reasoning: "", text: content }
  const all = state.held + content
  switch (state.phase) {
    case "opening": {
      const trimmed = all.trimStart()
      if (trimmed.startsWith(open)) return push({ phase: "blank", held: "" }, trimmed.slice(open.length))
      if (open.startsWith(trimmed)) {
        const held = indentOf(all.slice(0, all.length - trimmed.length)) + trimmed
        return { state: { phase: "opening", held }, reasoning: "", text: "" }
      }
      return { state: { phase: "text", held: "" }, reasoning: "", text: dropBlankLines(all) }
    }
    case "blank": {
      const trimmed = all.trimStart()
      if (trimmed === "") return { state: { phase: "blank", held: "" }, reasoning: "", text: "" }
      return push({ phase: "thinking", held: "" }, trimmed)
    }
    case "thinking": {
      const end = all.indexOf(close)
      if (end >= 0) {
        const rest = push({ phase: "behind", held: "" }, all.slice(end + close.length))
        return { ...rest, reasoning: all.slice(0, end) }
      }
      const held = partOf(close, all)
      return {
        state: { phase: "thinking", held: all.slice(all.length - held) },
        reasoning: all.slice(0, all.length - held),
        text: ""
      }
    }
    case "behind": {
      const trimmed = all.trimStart()
      return { state: { phase: trimmed === "" ? "behind" : "text", held: "" }, reasoning: "", text: trimmed }
    }
  }
}

/** Takes the end of the content and returns the text that was held back. An unclosed block is reasoning to its end. */
export const finish = (state: ThinkState): { readonly reasoning: string; readonly text: string } => ({
  reasoning: state.phase === "thinking" ? state.held : "",
  text: state.phase === "opening" && state.held.trim() !== "" ? dropBlankLines(state.held) : ""
})

/** The part of leading white space that is kept: its last line, which may be the indentation of the first word. */
const indentOf = (blank: string): string => blank.slice(blank.lastIndexOf("\n") + 1).slice(-maxIndent)

/** In characters: a model that is stuck may write spaces without end. */
const maxIndent = 500

const dropBlankLines = (text: string): string => text.replace(/^\s*\n/, "")

/** How many characters at the end of `text` are the beginning of `tag`. */
const partOf = (tag: string, text: string): number => {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(tag.slice(0, length))) return length
  }
  return 0
}
