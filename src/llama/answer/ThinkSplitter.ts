import { families, type Family, type Section } from "./ThoughtMarkers.ts"

/**
 * How far the content has been split: before its first word (`opening`), in the white space at the start of a section
 * (`blank`), in the section (`inside`), in the white space behind it (`behind`), or in text that nothing ends.
 */
export interface ThinkState {
  readonly phase: "opening" | "blank" | "inside" | "behind" | "text"
  /** Text that cannot be classified yet: white space, or what may become a mark. */
  readonly held: string
  /** The newest section. */
  readonly section: MarkedSection | undefined
  /** The kinds of words so far, and what sets the next words of the section off from those of its kind. */
  readonly had: ReadonlyArray<Section["is"]>
  readonly gap: string
}

export interface ThinkStep {
  readonly state: ThinkState
  readonly reasoning: string
  readonly text: string
}

interface MarkedSection extends Section {
  /** The sections that may follow. */
  readonly next: ReadonlyArray<MarkedSection>
  /** The marks that may end it: those that close it, and for reasoning also those that open the next one. */
  readonly ends: ReadonlyArray<string>
  /** The characters that these begin with. */
  readonly signs: ReadonlyArray<string>
}

const markedSections = ({ sections }: Family): ReadonlyArray<MarkedSection> => {
  const all: Array<MarkedSection> = []
  const next = sections.some(({ is }) => is === "text") ? all : []
  const opens = next === all ? sections.map(({ open }) => open) : []
  for (const section of sections) {
    const ends = section.is === "text" ? section.close : [...section.close, ...opens]
    all.push({ ...section, next, ends, signs: [...new Set(ends.map((mark) => mark.slice(0, 1)))] })
  }
  return all
}

const openings = families.flatMap(markedSections)

export const start: ThinkState = { phase: "opening", held: "", section: undefined, had: [], gap: "" }

/**
 * Splits content into reasoning and text (contract 6). Marks count only where the content begins, and then where a section
 * ends: the same characters elsewhere are text. White space around reasoning and blank lines before the first word are
 * dropped. Where the content is cut into pieces makes no difference.
 */
export const push = (state: ThinkState, content: string): ThinkStep => {
  if (state.phase === "text") return { state, reasoning: "", text: content }
  if (state.phase === "inside" && state.held === "" && state.gap === "" && state.section !== undefined) {
    const { is, signs } = state.section
    // The usual piece of a section, in which no mark begins.
    if (state.had.includes(is) && !signs.some((sign) => content.includes(sign))) {
      return is === "text" ? { state, reasoning: "", text: content } : { state, reasoning: content, text: "" }
    }
  }
  let { gap, had, section } = state
  let phase: ThinkState["phase"] = state.phase
  let rest = state.held + content
  const said = { reasoning: "", text: "" }
  const say = (is: Section["is"], words: string) => {
    if (words === "") return
    said[is] += gap + words
    gap = ""
    if (!had.includes(is)) had = [...had, is]
  }
  const step = (held: string): ThinkStep => ({ state: { phase, held, section, had, gap }, ...said })
  for (;;) {
    if (phase === "blank") {
      rest = rest.trimStart()
      if (rest === "") return step("")
      phase = "inside"
    } else if (phase === "inside" && section !== undefined) {
      const { at, behind } = endOf(section, rest)
      say(section.is, rest.slice(0, at))
      if (behind === undefined) return step(rest.slice(at))
      rest = rest.slice(behind)
      phase = "behind"
    } else {
      const trimmed = rest.trimStart()
      const known = section === undefined ? openings : section.next
      const next = known.find(({ open }) => trimmed.startsWith(open))
      if (next === undefined) {
        const isOpening = section === undefined
        if (trimmed === "" || mayBegin(known, trimmed)) {
          return step(isOpening ? indentOf(rest.slice(0, rest.length - trimmed.length)) + trimmed : trimmed)
        }
        gap = gapOf(had, "text")
        say("text", isOpening ? dropBlankLines(rest) : trimmed)
        phase = "text"
        return step("")
      }
      section = next
      gap = gapOf(had, next.is)
      rest = trimmed.slice(next.open.length)
      phase = "blank"
    }
  }
}

/** Takes the end of the content and returns what was held back. A section that is never closed reaches to its end. */
export const finish = ({ gap, held, phase, section }: ThinkState): Omit<ThinkStep, "state"> => {
  const nothing = { reasoning: "", text: "" }
  if (phase === "opening") return held.trim() === "" ? nothing : { ...nothing, text: dropBlankLines(held) }
  if (phase !== "inside" || section === undefined || held === "") return nothing
  const isClosed = section.close.some((mark) => held.startsWith(mark))
  return isClosed ? nothing : { ...nothing, [section.is]: gap + held }
}

/**
 * Where the words of a section end, and where what follows begins; `behind` is undefined while it goes on, with words that
 * may be a mark from `at`. Text is ended only by a mark with another section or the end of the content right behind it.
 */
const endOf = (section: MarkedSection, words: string): { readonly at: number; readonly behind: number | undefined } => {
  for (let from = 0; ;) {
    const { at, mark } = firstOf(section.ends, words, from)
    if (mark === undefined) return { at, behind: undefined }
    const end = at + mark.length
    if (section.is === "reasoning") return { at, behind: section.close.includes(mark) ? end : at }
    const after = words.slice(end)
    if (section.next.some(({ open }) => after.startsWith(open))) return { at, behind: end }
    if (mayBegin(section.next, after)) return { at, behind: undefined }
    from = end
  }
}

const mayBegin = (sections: ReadonlyArray<Section>, text: string): boolean =>
  text === "" || sections.some(({ open }) => open.startsWith(text))

/** The first of the marks in a text and where it stands; without one, where the text may end with the beginning of one. */
const firstOf = (marks: ReadonlyArray<string>, text: string, from: number) => {
  let first: { at: number; mark: string | undefined } = { at: text.length, mark: undefined }
  for (const mark of marks) {
    const at = text.indexOf(mark, from)
    if (at >= 0 && at < first.at) first = { at, mark }
  }
  if (first.mark !== undefined) return first
  const longest = marks.reduce((length, mark) => Math.max(length, mark.length), 0)
  for (let at = Math.max(from, text.length - longest); at < text.length; at += 1) {
    if (marks.some((mark) => mark[0] === text[at] && mark.startsWith(text.slice(at)))) return { at, mark: undefined }
  }
  return first
}

const gapOf = (had: ReadonlyArray<Section["is"]>, is: Section["is"]): string => (had.includes(is) ? "\n\n" : "")

/** The part of leading white space that is kept: its last line, which may be the indentation of the first word. */
const indentOf = (blank: string): string => blank.slice(blank.lastIndexOf("\n") + 1).slice(-maxIndent)

/** In characters: a model that is stuck may write spaces without end. */
const maxIndent = 500

const dropBlankLines = (text: string): string => text.replace(/^\s*\n/, "")
