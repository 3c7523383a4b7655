import type { SidecarResponse } from "../protocol/Frame.ts"
import type { Breach } from "./StepChecker.ts"

/** A request as the host sent it; the order of a list is the order of sending. */
export interface SentRequest {
  readonly id: string
  /** `raw` where only the bytes are known. */
  readonly type: string
}

interface Asked extends SentRequest {
  isAnswered: boolean
}

/** What a response answers. */
export interface Answered {
  /** Absent where it is not known. */
  readonly request?: SentRequest
  /** A message that was sent before has no answer yet. */
  readonly isEarly: boolean
}

/** Matches responses to requests: each request is answered once (contract 3). */
export class ResponseChecker {
  readonly #breach: Breach
  readonly #asked: Map<string, Array<Asked>> | undefined
  readonly #messages: ReadonlyArray<Asked>
  readonly #answered = new Set<string>()
  /** The oldest message without an answer. */
  #oldest = 0

  constructor(requests: ReadonlyArray<SentRequest> | undefined, breach: Breach) {
    this.#breach = breach
    const all = (requests ?? []).map(({ id, type }): Asked => ({ id, type, isAnswered: false }))
    this.#asked = requests === undefined ? undefined : Map.groupBy(all, ({ id }) => id)
    this.#messages = all.filter(({ type }) => type === "send_message")
  }

  answer(at: number, { correlationId: id }: SidecarResponse): Answered {
    if (this.#asked === undefined) {
      if (this.#answered.has(id)) this.#breach(at, `a second response to request ${id}`)
      this.#answered.add(id)
      return { isEarly: false }
    }
    const same = this.#asked.get(id) ?? []
    const request = same.find(({ isAnswered }) => !isAnswered)
    if (request === undefined) {
      this.#breach(at, `response ${same.length + 1} to request ${id}, which was sent ${same.length} times`)
      return { isEarly: false }
    }
    while (this.#messages[this.#oldest]?.isAnswered === true) this.#oldest++
    const isEarly = request.type === "send_message" && this.#messages[this.#oldest] !== request
    request.isAnswered = true
    return { request, isEarly }
  }

  end(at: number): void {
    for (const [id, same] of this.#asked ?? []) {
      const missing = same.filter(({ isAnswered }) => !isAnswered).length
      if (missing > 0) this.#breach(at, `${missing} responses to request ${id} are missing`)
    }
  }
}
