import type { BodyState } from "./HttpBody.ts"
import * as HttpBody from "./HttpBody.ts"
import type { HttpAnswer } from "./HttpHead.ts"
import * as HttpHead from "./HttpHead.ts"
import type { LlamaError } from "./LlamaError.ts"
import { Cut, Malformed, Unreachable } from "./LlamaError.ts"

type Reason = LlamaError["reason"]

/** How far one answer has been read. */
export interface ReaderState {
  /** What has come of an unfinished head. */
  readonly head: Buffer
  /** How many heads have come that were no answer's. */
  readonly early: number
  readonly body: BodyState | undefined
  readonly keepsAlive: boolean
  readonly idleMs: number
}

/** What one read brought. */
export interface ReaderStep {
  readonly state: ReaderState
  /** Once, when the head is whole. */
  readonly answer?: HttpAnswer
  /** Of the body, within the bytes that were read. */
  readonly bytes: Uint8Array
  /** The answer is over. */
  readonly end?: ReaderEnd
}

export type ReaderEnd =
  | {
      readonly _tag: "Whole"
      /** How long the connection may stay idle, in milliseconds; 0: it cannot be used again. */
      readonly idleMs: number
    }
  | { readonly _tag: "Failed"; readonly reason: Reason }

const none = Buffer.alloc(0)

/** What is said before an answer, at most. */
const maxEarly = 100

/**
 * How long a connection may stay idle, in milliseconds: a server that has vanished without a word is not asked in vain
 * for as long as the system goes on sending.
 */
const maxIdleMs = 5000

export const start: ReaderState = { head: none, early: 0, body: undefined, keepsAlive: false, idleMs: maxIdleMs }

/** One read of an answer, which may begin and end anywhere. */
export const push = (state: ReaderState, bytes: Buffer): ReaderStep => {
  if (state.body !== undefined) return pushBody(state, state.body, bytes)
  const read = state.head.length === 0 ? bytes : Buffer.concat([state.head, bytes])
  const head = HttpHead.read(read)
  switch (head._tag) {
    case "Unfinished":
      return { state: { ...state, head: Buffer.from(read) }, bytes: none }
    case "Wrong":
      return malformed(state, head.detail)
    case "Whole": {
      const { answer, body, idleMs = maxIdleMs, keepsAlive, length } = head
      const rest = read.subarray(length)
      if (answer.status >= 200) {
        const next = { ...start, body, keepsAlive, idleMs: Math.min(idleMs, maxIdleMs) }
        return { ...pushBody(next, body, rest), answer }
      }
      if (state.early === maxEarly) return malformed(state, tooMuchBefore)
      const next = { ...start, early: state.early + 1 }
      return rest.length === 0 ? { state: next, bytes: none } : push(next, rest)
    }
  }
}

/** The connection has ended, for a reason if there was one. */
export const finish = ({ body }: ReaderState, why: string | undefined): ReaderEnd => {
  if (body === undefined) {
    const detail = why ?? "the server closed the connection before it answered"
    return { _tag: "Failed", reason: Unreachable.make({ detail }) }
  }
  return why === undefined && HttpBody.isWhole(body) ? { _tag: "Whole", idleMs: 0 } : broken(why)
}

const pushBody = (state: ReaderState, body: BodyState, read: Uint8Array): ReaderStep => {
  const { from, state: next, to, used, wrong } = HttpBody.push(body, read)
  const bytes = read.subarray(from, to)
  const after = { head: none, early: 0, body: next, keepsAlive: state.keepsAlive, idleMs: state.idleMs }
  if (wrong !== undefined) return { state: after, bytes, end: broken(wrong) }
  if (next.phase !== "end") return { state: after, bytes }
  const idleMs = state.keepsAlive && used === read.length ? state.idleMs : 0
  return { state: after, bytes, end: { _tag: "Whole", idleMs } }
}

const tooMuchBefore = `the head of the answer cannot be read: more than ${maxEarly} others that are no answer come before it`

const malformed = (state: ReaderState, detail: string): ReaderStep => ({
  state,
  bytes: none,
  end: { _tag: "Failed", reason: Malformed.make({ detail }) }
})

const broken = (why: string | undefined): ReaderEnd => ({
  _tag: "Failed",
  reason: Cut.make({
    detail: `the connection broke in the middle of the answer${why === undefined ? "" : ` (${why})`}`
  })
})
