import type { EventFrame, EventPayload, EventType, SidecarEvent } from "../protocol/Event.ts"
import { mergeEvents, sessionOf } from "./KnownEvents.ts"
import { Mailbox } from "./Mailbox.ts"

/** How many events may wait for one iterator. */
const waitingLimit = 10_000

/** How many events of a new session are kept for the iterator that is opened when its id is known. */
const earlyLimit = 256

type Listener = (event: SidecarEvent) => void

/** Who is told of events: listeners at once, iterators in their own time. */
export class EventHub {
  readonly #typed = new Map<EventType, Set<Listener>>()
  readonly #all = new Set<Listener>()
  #early: { readonly sessionId: string; readonly events: Array<SidecarEvent> } | undefined
  readonly #open = new Set<Mailbox<SidecarEvent>>()
  #closed: { readonly error: Error | undefined } | undefined

  on<T extends EventType>(type: T, listener: (payload: EventPayload<T>, event: EventFrame<T>) => void): () => void {
    const listeners = this.#typed.get(type) ?? new Set()
    this.#typed.set(type, listeners)
    const told: Listener = (event) => {
      const ofType = event as unknown as EventFrame<T>
      listener(ofType.payload, ofType)
    }
    listeners.add(told)
    return () => void listeners.delete(told)
  }

  onEvent(listener: (event: SidecarEvent) => void): () => void {
    // A function of its own, so that the same listener may be added twice and taken away once.
    const told: Listener = (event) => listener(event)
    this.#all.add(told)
    return () => void this.#all.delete(told)
  }

  /** All events from now on, or those of one session; before its first turn, from the session's first event on. */
  events(sessionId: string | undefined): AsyncIterableIterator<SidecarEvent, undefined> {
    const hear = (event: SidecarEvent) => {
      if (sessionId === undefined || sessionOf(event) === sessionId) mailbox.push(event)
    }
    const mailbox = new Mailbox<SidecarEvent>({
      limit: waitingLimit,
      merge: mergeEvents,
      onReturn: () => {
        this.#all.delete(hear)
        this.#open.delete(mailbox)
      }
    })
    if (sessionId !== undefined && this.#early?.sessionId === sessionId) this.#early.events.forEach(hear)
    if (this.#closed !== undefined) mailbox.end(this.#closed.error)
    this.#all.add(hear)
    this.#open.add(mailbox)
    return mailbox
  }

  /** Whether anybody would hear of an event of this type. */
  listensTo(type: EventType): boolean {
    return this.#all.size > 0 || (this.#typed.get(type)?.size ?? 0) > 0
  }

  dispatch(event: SidecarEvent): void {
    this.#keepEarly(event)
    for (const listener of [...(this.#typed.get(event.type) ?? []), ...this.#all]) guarded(() => listener(event))
  }

  /** Ends the iterators, with the error if there is one. */
  close(error: Error | undefined): void {
    this.#closed = { error }
    for (const mailbox of this.#open) mailbox.end(error)
    this.#open.clear()
  }

  // One session at a time: a new one takes the place of the old one's beginning.
  #keepEarly(event: SidecarEvent): void {
    if (event.type === "session_started") this.#early = { sessionId: event.payload.sessionId, events: [] }
    if (this.#early === undefined || sessionOf(event) !== this.#early.sessionId) return
    if (event.type === "user_message" || this.#early.events.length === earlyLimit) this.#early = undefined
    else this.#early.events.push(event)
  }
}

/** Runs a callback of the host's. What it throws is the host's own bug, and must not keep the others from hearing. */
export const guarded = (callback: () => void): void => {
  try {
    callback()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
