import { randomFrom } from "../races/Figure.ts"

/** Draws lots: the same seed draws the same ones in the same order. */
export class Draw {
  readonly #random: () => number

  constructor(seed: number) {
    this.#random = randomFrom(seed)
  }

  /** From 0 to 1. */
  unit(): number {
    return this.#random()
  }

  chance(share: number): boolean {
    return this.#random() < share
  }

  /** Both ends included. */
  integer(from: number, to: number): number {
    return from + Math.floor(this.#random() * (to - from + 1))
  }

  pick<A>(all: ReadonlyArray<A>): A {
    return all[this.integer(0, all.length - 1)]!
  }

  some<A>(all: ReadonlyArray<A>, share: number): ReadonlyArray<A> {
    return all.filter(() => this.chance(share))
  }

  /** One of the keys, each as often as its weight says. */
  weighted<K extends string>(weights: { readonly [P in K]: number }): K {
    const entries = Object.entries<number>(weights)
    let left = this.#random() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [key, weight] of entries) {
      left -= weight
      if (left < 0) return key as K
    }
    return entries.at(-1)![0] as K
  }

  list<A>(length: number, one: () => A): ReadonlyArray<A> {
    return Array.from({ length }, one)
  }

  /** A seed for another one, which may draw as often as it likes. */
  seed(): number {
    return Math.floor(this.#random() * 2 ** 32)
  }
}

/** The seed of one of many, by its number. */
export const seedOf = (seed: number, index: number): number => new Draw(seed ^ Math.imul(index + 1, 0x9e3779b1)).seed()
