import { readdirSync, readFileSync } from "node:fs"
import type { ModelEvent } from "../../../src/llama/LlamaClient.ts"
import * as ChatStream from "../../../src/llama/answer/ChatStream.ts"
import { Cut } from "../../../src/llama/LlamaError.ts"

/** One answer of a real server: the bytes as they came, and what stands in them. */
export interface Capture {
  readonly name: string
  readonly path: string
  readonly raw: Buffer
  readonly status: number
  readonly contentType: string
  /** Without the framing of HTTP. */
  readonly body: Buffer
}

const folder = new URL("../captures/", import.meta.url)

const index: ReadonlyArray<{ readonly name: string; readonly path: string }> = JSON.parse(
  readFileSync(new URL("index.json", folder), "utf8")
)

const unchunk = (framed: Buffer): Buffer => {
  const parts: Array<Buffer> = []
  let at = 0
  for (;;) {
    const end = framed.indexOf("\r\n", at)
    const size = end < 0 ? 0 : Number.parseInt(framed.subarray(at, end).toString(), 16)
    if (!(size > 0)) return Buffer.concat(parts)
    parts.push(framed.subarray(end + 2, end + 2 + size))
    at = end + 4 + size
  }
}

export const captures: ReadonlyArray<Capture> = readdirSync(folder)
  .filter((file) => file.endsWith(".http"))
  .map((file) => {
    const raw = readFileSync(new URL(file, folder))
    const end = raw.includes("\r\n\r\n") ? raw.indexOf("\r\n\r\n") + 4 : raw.indexOf("\n\n") + 2
    const head = raw.subarray(0, end).toString()
    const name = file.replace(/\.http$/, "")
    return {
      name,
      path: index.find((each) => each.name === name)?.path ?? "",
      raw,
      status: Number(head.split(" ")[1]),
      contentType: /^content-type: (.*?)\r?$/im.exec(head)?.[1] ?? "",
      body: /^transfer-encoding: chunked\r$/im.test(head) ? unchunk(raw.subarray(end)) : raw.subarray(end)
    }
  })

export const capture = (name: string): Capture => {
  const match = captures.find((each) => each.name === name)
  if (match === undefined) throw new Error(`no capture ${name}`)
  return match
}

/** The streamed answers of the chat endpoint. */
export const streams = captures.filter(
  ({ path, contentType }) => path === "/v1/chat/completions" && contentType.startsWith("text/event-stream")
)

/** What a reader makes of an answer's body that comes in these parts. */
export const readParts = (parts: Iterable<Uint8Array>, tools: ReadonlyArray<string> = []) => {
  const events: Array<ModelEvent> = []
  let step: ChatStream.ChatStreamStep = {
    state: ChatStream.start(tools.map((name) => ({ name, description: "", parameters: {} }))),
    events: [],
    alive: true
  }
  for (const part of parts) {
    step = ChatStream.push(step.state, part)
    events.push(...step.events)
    if (step.end !== undefined) return { events, end: step.end }
  }
  step = ChatStream.finish(step.state, Cut.make({ detail: "cut" }))
  events.push(...step.events)
  return { events, end: step.end }
}

export const textOf = (events: ReadonlyArray<ModelEvent>, tag: "Text" | "Reasoning" = "Text"): string =>
  events.map((event) => (event._tag === tag ? event.text : "")).join("")

/** The events with text behind text, and reasoning behind reasoning, as one: where a read ends is chance. */
export const joined = (events: ReadonlyArray<ModelEvent>): ReadonlyArray<ModelEvent> => {
  const result: Array<ModelEvent> = []
  for (const event of events) {
    const last = result.at(-1)
    if ((event._tag === "Text" || event._tag === "Reasoning") && last?._tag === event._tag) {
      result.splice(-1, 1, { _tag: event._tag, text: last.text + event.text })
    } else result.push(event)
  }
  return result
}

/** Cuts bytes at these places. */
export const cutAt = (bytes: Uint8Array, places: ReadonlyArray<number>): ReadonlyArray<Uint8Array> =>
  [0, ...places].map((from, at) => bytes.subarray(from, places[at] ?? bytes.length))

/** Numbers that look random and are the same each time. */
export const random = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0
    return ((state >>> 8) & 0xffffff) % below
  }
}
