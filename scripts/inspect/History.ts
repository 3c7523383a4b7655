import type { Crossing } from "./Entry.ts"

export interface HistoryLimits {
  readonly entries: number
  /** In characters of JSON. */
  readonly size: number
}

const usual: HistoryLimits = { entries: 100_000, size: 64 * 1024 * 1024 }

/** The last lines of a conversation, as JSON of an `Entry` each; the oldest go where there are too many. */
export class History {
  readonly #limits: HistoryLimits
  #texts: Array<string> = []
  /** How many at the head of the array are gone already. */
  #gone = 0
  #size = 0
  #last = 0
  #listeners = new Set<() => void>()

  constructor(limits: HistoryLimits = usual) {
    this.#limits = limits
  }

  /** The number of the oldest that is kept, and one more than the last where none is. */
  get first(): number {
    return this.#last - (this.#texts.length - this.#gone) + 1
  }

  get last(): number {
    return this.#last
  }

  add(crossing: Crossing): void {
    this.#last += 1
    const text = JSON.stringify({ number: this.#last, ...crossing })
    this.#texts.push(text)
    this.#size += text.length
    while (this.#texts.length - this.#gone > 1 && this.#isOver()) {
      this.#size -= this.#texts[this.#gone]?.length ?? 0
      this.#texts[this.#gone] = ""
      this.#gone += 1
    }
    // One move of the array for many that went.
    if (this.#gone > 1024 && this.#gone > this.#texts.length / 2) {
      this.#texts = this.#texts.slice(this.#gone)
      this.#gone = 0
    }
    for (const listener of this.#listeners) listener()
  }

  /** Those with numbers above `after`, up to so many characters, one at least; with the number of the last of them. */
  after(number: number, size: number): { readonly texts: ReadonlyArray<string>; readonly last: number } {
    const texts: Array<string> = []
    let taken = 0
    let next = Math.max(number + 1, this.first)
    for (; next <= this.#last && taken < size; next++) {
      const text = this.#texts[this.#gone + next - this.first] ?? ""
      taken += text.length
      texts.push(text)
    }
    return { texts, last: Math.max(next - 1, number) }
  }

  /** Hears of every addition; the function that it returns ends that. */
  onAdd(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #isOver(): boolean {
    return this.#size > this.#limits.size || this.#texts.length - this.#gone > this.#limits.entries
  }
}
