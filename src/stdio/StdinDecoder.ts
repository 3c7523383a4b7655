import { Buffer } from "node:buffer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as SchemaParser from "effect/SchemaParser"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { Config } from "../config/Config.ts"
import { cutText } from "../domain/CutText.ts"
import { headText } from "../domain/HeadText.ts"
import { explain, typeName } from "../protocol/Explain.ts"
import type { HostRequest, RequestType } from "../protocol/Request.ts"
import { requestTable } from "../protocol/RequestTable.ts"
import { parseWellFormed } from "../protocol/WellFormed.ts"
import * as LineFramer from "./LineFramer.ts"

/** One decoded line of the host: a request, or a value that describes what is wrong with it (contract 2). */
export type Incoming =
  | { readonly _tag: "Request"; readonly request: HostRequest }
  /** Not JSON, not UTF-8, or too long; `stack` is the head of the line. */
  | { readonly _tag: "BadLine"; readonly message: string; readonly stack: string }
  /** JSON, but not a request. */
  | { readonly _tag: "BadFrame"; readonly message: string }
  | { readonly _tag: "UnknownType"; readonly id: string; readonly type: string }
  | {
      readonly _tag: "BadPayload"
      readonly id: string
      readonly type: RequestType
      readonly message: string
      readonly payload: unknown
    }

/** Decodes the host's requests from stdin. */
export class StdinDecoder extends Context.Service<
  StdinDecoder,
  {
    /** Ends with the input. A bad line is a value, never a failure. */
    readonly requests: Stream.Stream<Incoming>
  }
>()("atomic-agent-sidecar/stdio/StdinDecoder") {
  static readonly layer = Layer.effect(
    StdinDecoder,
    Effect.gen(function* () {
      const stdio = yield* Stdio.Stdio
      const { maxLineBytes } = (yield* Config).sidecar

      const requests = stdio.stdin.pipe(
        // A read error means that the host is gone: it counts as the end of the input.
        Stream.catchCause(() => Stream.empty),
        Stream.mapAccumArray(
          () => LineFramer.initial(maxLineBytes),
          (initial, reads) => {
            let state = initial
            const incoming: Array<Incoming> = []
            for (const read of reads) {
              const [next, framed] = LineFramer.push(state, read)
              state = next
              for (const each of framed) incoming.push(decodeFramed(each, maxLineBytes))
            }
            return [state, incoming] as const
          },
          { onHalt: (state) => LineFramer.end(state).map((each) => decodeFramed(each, maxLineBytes)) }
        )
      )

      return StdinDecoder.of({ requests })
    })
  )
}

/** Decodes one framed line. */
export const decodeFramed = (framed: LineFramer.Framed, maxLineBytes: number): Incoming => {
  switch (framed._tag) {
    case "Line":
      return decodeLine(framed.text)
    case "NotUtf8":
      return { _tag: "BadLine", message: "the line is not UTF-8", stack: cut(framed.head, framed.length) }
    case "TooLong":
      return {
        _tag: "BadLine",
        message: `the line has ${framed.length} bytes, more than the limit of ${maxLineBytes} (sidecar.maxLineBytes)`,
        stack: cut(framed.head, framed.length)
      }
  }
}

const decodeLine = (text: string): Incoming => {
  let frame: unknown
  try {
    frame = parseWellFormed(text)
  } catch (error) {
    const bytes = Buffer.from(text, "utf8")
    const message = `the line is not JSON: ${error instanceof Error ? error.message : String(error)}`
    return { _tag: "BadLine", message, stack: cut(headText(bytes, LineFramer.headBytes), bytes.length) }
  }
  if (!Predicate.isObject(frame)) return badFrame(`expected an object, got ${typeName(frame)}`)
  if (frame.kind !== "request") return badFrame(`kind: expected "request", got ${shown(frame.kind)}`)
  if (typeof frame.id !== "string") return badFrame(`id: expected string, got ${typeName(frame.id)}`)
  if (typeof frame.type !== "string") return badFrame(`type: expected string, got ${typeName(frame.type)}`)
  if (!isRequestType(frame.type)) return { _tag: "UnknownType", id: frame.id, type: frame.type }
  return decodePayload(frame.id, frame.type, frame.payload)
}

/** Decodes the payload of a request. */
export const decodePayload = (id: string, type: RequestType, payload: unknown): Incoming => {
  const decoded = attempt(() => decoderOf(type)(payload ?? null))
  if (decoded instanceof Error) return { _tag: "BadPayload", id, type, payload, message: `payload: ${decoded.message}` }
  return decoded._tag === "Success"
    ? {
        _tag: "Request",
        request: { kind: "request", id, type, payload: decoded.success } as HostRequest
      }
    : { _tag: "BadPayload", id, type, payload, message: explain(decoded.failure, payload, "payload") }
}

/** Decoding a deeply nested payload can overflow the stack: that fails this request and does not end the reading. */
const attempt = <A>(run: () => A): A | Error => {
  try {
    return run()
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

const badFrame = (what: string): Incoming => ({ _tag: "BadFrame", message: `not a request frame: ${what}` })

const shown = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(cutText(value, 40)) : typeName(value)

const cut = (head: string, length: number): string =>
  length > LineFramer.headBytes ? `${head}… (${length} bytes)` : head

const isRequestType = (type: string): type is RequestType => Object.hasOwn(requestTable, type)

const decodeRequest = (schema: (typeof requestTable)[RequestType]["payload"]) =>
  SchemaParser.decodeUnknownResult(schema)
const decoders = new Map<RequestType, ReturnType<typeof decodeRequest>>()

/** A decoder is compiled for the first request of its type, so that the start does not have to compile all of them. */
const decoderOf = (type: RequestType) => {
  const known = decoders.get(type)
  if (known !== undefined) return known
  const decoder = decodeRequest(requestTable[type].payload)
  decoders.set(type, decoder)
  return decoder
}
