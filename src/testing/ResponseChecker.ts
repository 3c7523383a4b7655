import { isObject } from "effect/Predicate"
import type { SidecarResponse } from "../protocol/Frame.ts"
import type { Breach } from "./Breach.ts"

/** A request that the host sent. */
export interface SentRequest {
  readonly id: string
  /** `raw` for bytes whose request type is not known. */
  readonly type: string
  /** The session that its payload names. */
  readonly sessionId?: string | undefined
}

/** A request of the host, as the checker of the contract needs it. */
export const sentRequest = (id: string, type: string, payload: unknown): SentRequest => {
  const sessionId = isObject(payload) && "sessionId" in payload ? payload.sessionId : undefined
  return { id, type, sessionId: typeof sessionId === "string" ? sessionId : undefined }
}

interface TrackedRequest extends SentRequest {
  isAnswered: boolean
}

/** The request that a response belongs to. */
export interface MatchedResponse {
  /** Absent if it is unknown. */
  readonly request?: SentRequest
  /** True if an earlier `send_message` of the same session has no response yet. */
  readonly isEarly: boolean
}

/** Matches responses to requests and reports a breach unless each request has exactly one (contract 3). */
export class ResponseChecker {
  readonly #breach: Breach
  readonly #requests: Map<string, Array<TrackedRequest>> | undefined
  /** By session: its messages that are not known to be answered, the oldest first. */
  readonly #messages: Map<string | undefined, Array<TrackedRequest>>
  readonly #answered = new Set<string>()

  constructor(requests: ReadonlyArray<SentRequest> | undefined, breach: Breach) {
    this.#breach = breach
    const all = (requests ?? []).map((request): TrackedRequest => ({ ...request, isAnswered: false }))
    this.#requests = requests === undefined ? undefined : Map.groupBy(all, ({ id }) => id)
    const messages = all.filter(({ type }) => type === "send_message")
    this.#messages = Map.groupBy(messages, ({ sessionId }) => sessionId)
  }

  answer(at: number, { correlationId: id }: SidecarResponse): MatchedResponse {
    if (this.#requests === undefined) {
      if (this.#answered.has(id)) this.#breach(at, `a second response to request ${id}`)
      this.#answered.add(id)
      return { isEarly: false }
    }
    const same = this.#requests.get(id) ?? []
    const request = same.find(({ isAnswered }) => !isAnswered)
    if (request === undefined) {
      this.#breach(at, `response ${same.length + 1} to request ${id}, which was sent ${same.length} times`)
      return { isEarly: false }
    }
    const older = this.#messages.get(request.sessionId) ?? []
    while (older[0]?.isAnswered === true) older.shift()
    const isEarly = request.type === "send_message" && older[0] !== request
    request.isAnswered = true
    return { request, isEarly }
  }

  end(at: number): void {
    for (const [id, same] of this.#requests ?? []) {
      const missing = same.filter(({ isAnswered }) => !isAnswered).length
      if (missing > 0) this.#breach(at, `${missing} responses to request ${id} are missing`)
    }
  }
}
