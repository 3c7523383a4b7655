import { randomFrom } from "./Figure.ts"

/** Thrown again the same way for the same seed. */
export class Dice {
  readonly #next: () => number

  constructor(seed: number) {
    this.#next = randomFrom(seed)
  }

  below(count: number): number {
    return Math.floor(this.#next() * count)
  }

  one<A>(of: ReadonlyArray<A>): A {
    return of[this.below(of.length)]!
  }

  chance(share: number): boolean {
    return this.#next() < share
  }
}
