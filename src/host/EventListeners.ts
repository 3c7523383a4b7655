import type { EventFrame, EventPayload, EventType, SidecarEvent } from "../protocol/Event.ts"
import { mergeEvents, sessionOf } from "./KnownEvents.ts"
import { Mailbox } from "./Mailbox.ts"

/** How many events may wait for one iterator. */
const maxWaitingEvents = 10_000

/** How many events of a new session are kept for an iterator that is opened once the session's id is known. */
const maxEarlyEvents = 256

type Listener = (event: SidecarEvent) => void

/** The receivers of events: listeners are called at once, iterators read at their own pace. */
export class EventListeners {
  readonly #byType = new Map<EventType, Set<Listener>>()
  readonly #all = new Set<Listener>()
  readonly #iterators = new Set<Mailbox<SidecarEvent>>()
  #early: { readonly sessionId: string; readonly events: Array<SidecarEvent> } | undefined
  #closed: { readonly error: Error | undefined } | undefined

  /** Calls the listener with each event of one type. Returns a function that removes it. */
  on<T extends EventType>(type: T, listener: (payload: EventPayload<T>, event: EventFrame<T>) => void): () => void {
    const listeners = this.#byType.get(type) ?? new Set()
    this.#byType.set(type, listeners)
    const registration: Listener = (event) => {
      const ofType = event as unknown as EventFrame<T>
      listener(ofType.payload, ofType)
    }
    listeners.add(registration)
    return () => void listeners.delete(registration)
  }

  /** Calls the listener with each event. Returns a function that removes it. */
  onEvent(listener: (event: SidecarEvent) => void): () => void {
    // A function of its own, so that a listener that is added twice is called twice and removed one at a time.
    const registration: Listener = (event) => listener(event)
    this.#all.add(registration)
    return () => void this.#all.delete(registration)
  }

  /**
   * Iterates over all events from now on, or over those of one session. For the newest session, if it has had no turn
   * yet, the iterator begins with the session's first event.
   */
  events(sessionId: string | undefined): AsyncIterableIterator<SidecarEvent, undefined> {
    const deliver = (event: SidecarEvent) => {
      if (sessionId === undefined || sessionOf(event) === sessionId) mailbox.push(event)
    }
    const mailbox = new Mailbox<SidecarEvent>({
      limit: maxWaitingEvents,
      merge: mergeEvents,
      onReturn: () => {
        this.#all.delete(deliver)
        this.#iterators.delete(mailbox)
      }
    })
    if (sessionId !== undefined && this.#early?.sessionId === sessionId) this.#early.events.forEach(deliver)
    if (this.#closed !== undefined) mailbox.end(this.#closed.error)
    this.#all.add(deliver)
    this.#iterators.add(mailbox)
    return mailbox
  }

  /** Calls the listeners of the event's type, then those of all events, each in the order in which it was added. */
  dispatch(event: SidecarEvent): void {
    this.#keepEarly(event)
    for (const listener of [...(this.#byType.get(event.type) ?? []), ...this.#all]) runCallback(() => listener(event))
  }

  /** Ends all iterators, those that are opened later too: with the error, if there is one. */
  close(error: Error | undefined): void {
    this.#closed = { error }
    for (const mailbox of this.#iterators) mailbox.end(error)
    this.#iterators.clear()
  }

  // Only one session at a time: a new session replaces the one before.
  #keepEarly(event: SidecarEvent): void {
    if (event.type === "session_started") this.#early = { sessionId: event.payload.sessionId, events: [] }
    if (this.#early === undefined || sessionOf(event) !== this.#early.sessionId) return
    if (event.type === "user_message" || this.#early.events.length === maxEarlyEvents) this.#early = undefined
    else this.#early.events.push(event)
  }
}

/**
 * Runs a callback of the application. An error that it throws becomes an uncaught exception of the process, since it is
 * the application's bug, and does not keep other callbacks from running.
 */
export const runCallback = (callback: () => void): void => {
  try {
    callback()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
