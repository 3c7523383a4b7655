import type * as Schema from "effect/Schema"
import type { Extension } from "./Extension.ts"

/** A request of the protocol. */
export interface RequestEntry {
  /** What the host sends. */
  readonly payload: Schema.Top
  /** The payload of a successful response. */
  readonly result: Schema.Top
  /** What it does, in plain English. */
  readonly does: string
  /** The extension that `hello` must have granted; without it the request is an `unknown_request` (contract 9). */
  readonly extension?: Extension
  /** Keys of the payload that belong to an extension: where it was not granted, they are unknown keys (contract 9). */
  readonly keys?: { readonly [key: string]: Extension }
}
