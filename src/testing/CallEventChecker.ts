import type { SidecarEvent } from "../protocol/Event.ts"
import type { Breach } from "./Breach.ts"

/** Checks what calls tell between their announcement and their results (contract 9). */
export class CallEventChecker {
  readonly #breach: Breach
  /** The name of the tool of a call that has no result yet. */
  readonly #openTool: (callId: string) => string | undefined
  /** By the id of a request: its call, until it is withdrawn. */
  readonly #requests = new Map<string, string>()

  constructor(breach: Breach, openTool: (callId: string) => string | undefined) {
    this.#breach = breach
    this.#openTool = openTool
  }

  check(at: number, frame: SidecarEvent): void {
    switch (frame.type) {
      case "tool_request": {
        const { callId, requestId, tool } = frame.payload
        this.#ofOpenCall(at, frame.type, callId)
        if (this.#openTool(callId) !== tool) this.#breach(at, "a tool_request names another tool than its call")
        if (this.#requests.has(requestId)) this.#breach(at, `tool_request ${requestId} came twice`)
        this.#requests.set(requestId, callId)
        return
      }
      case "tool_withdrawn": {
        const { requestId } = frame.payload
        const callId = this.#requests.get(requestId)
        if (callId === undefined) return this.#breach(at, `tool_withdrawn of ${requestId}, which is not open`)
        this.#ofOpenCall(at, frame.type, callId)
        this.#requests.delete(requestId)
        return
      }
      case "tool_output":
        return this.#ofOpenCall(at, frame.type, frame.payload.callId)
      default:
        this.#breach(at, `${frame.type} inside a step`)
    }
  }

  #ofOpenCall(at: number, type: string, callId: string): void {
    if (this.#openTool(callId) === undefined) this.#breach(at, `${type} without an open call`)
  }
}
