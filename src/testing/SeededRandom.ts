/** A seeded generator of pseudo-random choices (mulberry32): the same seed makes the same choices in the same order. */
export class SeededRandom {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** A number from 0 up to, and without, 1. */
  unit(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }

  /** True in this share of the calls, 0 to 1. */
  chance(share: number): boolean {
    return this.unit() < share
  }

  /** An integer; both ends are included. */
  integer(from: number, to: number): number {
    return from + Math.floor(this.unit() * (to - from + 1))
  }

  pick<A>(all: ReadonlyArray<A>): A {
    return all[this.integer(0, all.length - 1)]!
  }

  /** A subset: each member with this chance. */
  some<A>(all: ReadonlyArray<A>, share: number): ReadonlyArray<A> {
    return all.filter(() => this.chance(share))
  }

  /** One of the keys, each as often as its weight says. */
  weighted<K extends string>(weights: { readonly [P in K]: number }): K {
    const entries = Object.entries<number>(weights)
    let rest = this.unit() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [key, weight] of entries) {
      rest -= weight
      if (rest < 0) return key as K
    }
    return entries.at(-1)![0] as K
  }

  list<A>(length: number, make: () => A): ReadonlyArray<A> {
    return Array.from({ length }, make)
  }

  /** A seed for another generator, which may choose as often as it likes without changing the choices of this one. */
  seed(): number {
    return Math.floor(this.unit() * 2 ** 32)
  }
}

/** The seed of one of many runs, by its index. */
export const seedOf = (seed: number, index: number): number =>
  new SeededRandom(seed ^ Math.imul(index + 1, 0x9e3779b1)).seed()
