import type { Transform } from "node:stream"
import type { LlamaError } from "./LlamaError.ts"
import { Cut } from "./LlamaError.ts"

type Reason = LlamaError["reason"]

/** What may wait to be read before the connection is read no further, in bytes. */
const maxWaitingBytes = 64 * 1024

/**
 * What has come of a body, unpacked, and has not been read. It tells of every change that does not come from whoever
 * fills it.
 */
export class HttpInbox {
  readonly #onChange: () => void
  readonly #onRoom: () => void
  #waiting: Array<Uint8Array> = []
  #bytes = 0
  #unpacker: Transform | undefined
  #end: { readonly failure: Reason | undefined } | undefined
  #isDiscarded = false

  /** `onRoom`: it was full, and is no longer. */
  constructor(onChange: () => void, onRoom: () => void) {
    this.#onChange = onChange
    this.#onRoom = onRoom
  }

  /** From now on what is put in is packed. */
  unpackWith(unpacker: Transform): void {
    this.#unpacker = unpacker
    unpacker.on("data", (bytes: Uint8Array) => {
      this.#keep(bytes)
      if (this.#bytes > maxWaitingBytes) unpacker.pause()
      this.#onChange()
    })
    unpacker.on("drain", this.#onRoom)
    unpacker.on("end", this.#onChange)
    unpacker.on("error", ({ message }) => {
      if (this.failure === undefined) {
        this.#end = { failure: Cut.make({ detail: `the answer cannot be unpacked (${message})` }) }
      }
      this.#onChange()
    })
  }

  /** The bytes are copied. */
  put(bytes: Uint8Array): void {
    if (this.#isDiscarded || this.#unpacker?.destroyed === true) return
    const own = Buffer.allocUnsafe(bytes.length)
    own.set(bytes)
    if (this.#unpacker === undefined) this.#keep(own)
    else this.#unpacker.write(own)
  }

  /** Nothing more will be put in; what has been can still be read, and then the failure, if there was one. */
  end(failure?: Reason): void {
    this.#end ??= { failure }
    this.#unpacker?.end()
  }

  get isFull(): boolean {
    return this.#unpacker === undefined ? this.#bytes > maxWaitingBytes : this.#unpacker.writableNeedDrain
  }

  get failure(): Reason | undefined {
    return this.#end?.failure
  }

  /** What waits, all of it; null at the proper end, the failure at another one; undefined where nothing is there yet. */
  take(): Uint8Array | Reason | null | undefined {
    if (this.#bytes > 0) return this.#takeBytes()
    if (this.#end === undefined) return undefined
    const isUnpacking = this.#unpacker !== undefined && !this.#unpacker.readableEnded && !this.#unpacker.destroyed
    return isUnpacking ? undefined : (this.#end.failure ?? null)
  }

  /** Forgets what waits and what comes. */
  discard(): void {
    this.#isDiscarded = true
    this.#waiting = []
    this.#bytes = 0
    this.#unpacker?.destroy()
    this.#unpacker = undefined
  }

  #keep(bytes: Uint8Array): void {
    this.#waiting.push(bytes)
    this.#bytes += bytes.length
  }

  #takeBytes(): Uint8Array {
    const [first] = this.#waiting
    const bytes = first !== undefined && this.#waiting.length === 1 ? first : Buffer.concat(this.#waiting, this.#bytes)
    const wasFull = this.isFull
    this.#waiting = []
    this.#bytes = 0
    if (this.#unpacker !== undefined) this.#unpacker.resume()
    else if (wasFull) this.#onRoom()
    return bytes
  }
}
