import { EventsLost } from "./HostError.ts"

export interface MailboxOptions<A> {
  /** How many items may wait. One more ends the iterator with `EventsLost`, after the waiting items. */
  readonly limit: number
  /** Joins two neighbouring items that both wait; undefined if they cannot be joined. */
  readonly merge: (last: A, next: A) => A | undefined
  /** Called when the reader leaves, or too many items wait. */
  readonly onReturn: () => void
}

interface Waiter<A> {
  readonly resolve: (result: IteratorResult<A, undefined>) => void
  readonly reject: (error: Error) => void
}

/**
 * An async iterator over the items that are pushed into it, in order. Unread items are joined and bounded in number.
 */
export class Mailbox<A> implements AsyncIterableIterator<A, undefined> {
  readonly #options: MailboxOptions<A>
  #items: Array<A> = []
  #waiters: Array<Waiter<A>> = []
  #ending: { readonly error: Error | undefined } | undefined

  constructor(options: MailboxOptions<A>) {
    this.#options = options
  }

  push(item: A): void {
    if (this.#ending !== undefined) return
    const waiter = this.#waiters.shift()
    if (waiter !== undefined) return waiter.resolve({ done: false, value: item })
    const last = this.#items.at(-1)
    const merged = last === undefined ? undefined : this.#options.merge(last, item)
    if (merged !== undefined) {
      this.#items[this.#items.length - 1] = merged
    } else if (this.#items.length < this.#options.limit) {
      this.#items.push(item)
    } else {
      this.end(new EventsLost(this.#options.limit))
      this.#options.onReturn()
    }
  }

  /** Ends the iterator: the waiting items are still delivered, then the end or, once, the error. */
  end(error?: Error): void {
    if (this.#ending !== undefined) return
    this.#ending = { error }
    const waiters = this.#waiters
    this.#waiters = []
    // Only the first waiting `next` rejects, as only the first later one would.
    for (const { reject, resolve } of waiters) {
      const ending = this.#takeEnding()
      if (ending === undefined) resolve({ done: true, value: undefined })
      else reject(ending)
    }
  }

  next(): Promise<IteratorResult<A, undefined>> {
    if (this.#items.length > 0) return Promise.resolve({ done: false, value: this.#items.shift() as A })
    if (this.#ending === undefined) return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }))
    const error = this.#takeEnding()
    return error === undefined ? Promise.resolve({ done: true, value: undefined }) : Promise.reject(error)
  }

  return(): Promise<IteratorResult<A, undefined>> {
    this.#items = []
    this.end()
    this.#ending = { error: undefined }
    this.#options.onReturn()
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #takeEnding(): Error | undefined {
    const error = this.#ending?.error
    this.#ending = { error: undefined }
    return error
  }
}
