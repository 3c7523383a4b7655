import type { Part, Word } from "./Syntax.ts"

/** Builds a word piece by piece. */
export class WordBuilder {
  private readonly parts: Array<Part> = []
  private length = 0
  private globAt = -1
  private isBare = true

  plain(char: string): void {
    if (/[*?[]/.test(char) && this.globAt === -1) this.globAt = this.length
    this.add(char, false, false)
  }

  quoted(text: string): void {
    this.isBare = false
    this.add(text, true, false)
  }

  /** Adds the source of an expansion. */
  expansion(text: string, isQuoted: boolean): void {
    this.add(text, isQuoted, true)
  }

  build(): Word {
    const { globAt, isBare, parts } = this
    return { text: parts.map(({ text }) => text).join(""), globAt, isBare, parts }
  }

  private add(text: string, isQuoted: boolean, isExpansion: boolean): void {
    this.length += text.length
    const last = this.parts.at(-1)
    const joins = last !== undefined && !isExpansion && !last.isExpansion && last.isQuoted === isQuoted
    if (joins) this.parts[this.parts.length - 1] = { ...last, text: last.text + text }
    else this.parts.push({ text, isQuoted, isExpansion })
  }
}
