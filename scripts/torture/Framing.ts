import { type Answer, type RawAnswer, toBytes } from "../../src/testing/LlamaAnswers.ts"
import type { Draw } from "./Draw.ts"

/** An answer whose HTTP is right, and as no other server writes it. */
export const strange = (draw: Draw, answer: Answer): RawAnswer => {
  const body = bodyOf(answer)
  const line = draw.pick(["\r\n", "\r\n", "\n"])
  const early = draw.pick(["", "", `HTTP/1.1 103 Early Hints${line}Link: a${line}${line}`])
  const head = `${early}HTTP/1.1 200${draw.pick(["", " ", " Fine"])}${line}content-TYPE:text/event-stream${line}`
  const behind = draw.pick(["", "", "HTTP/1.1 200 OK\r\n\r\nnobody asked"])
  const framed = draw.pick([
    () => `Transfer-Encoding: Chunked${line}${line}${chunks(draw, body, line)}${behind}`,
    () => `Content-Length: ${body.length}${line}Connection: Close${line}${line}${body}${behind}`,
    () => `${line}${body}`
  ])
  return { raw: Buffer.from(head + framed(), "latin1"), chunkBytes: draw.pick([1, 7, 100, 100_000]) }
}

/** An answer whose HTTP goes wrong somewhere. */
export const wrong = (draw: Draw, answer: Answer): RawAnswer => {
  const body = bodyOf(answer)
  const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
  const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n`
  const framed = chunks(draw, body, "\r\n")
  const raw = draw.pick([
    `HTTP/1.1 200 OK\r\nContent Type: x\r\n\r\n${body}`,
    `HTTP/1.1 2000 OK\r\n\r\n${body}`,
    `${head}${"X: y\r\n".repeat(5000)}\r\n${body}`,
    `${head}Content-Length: 5\r\nContent-Length: 6\r\n\r\n${body}`,
    `${head}Content-Length: 1\r\n\r\n${body}`,
    `${head}Content-Length: 9999999\r\n\r\n${body}`,
    `${chunked}${body}`,
    `${chunked}${"f".repeat(30)}\r\n${body}`,
    `${chunked}${framed.slice(0, draw.integer(0, framed.length))}zz\r\n${framed}`
  ])
  const ending = draw.pick(["end", "hang"] as const)
  return { raw: Buffer.from(raw, "latin1"), chunkBytes: draw.pick([7, 100_000]), ending }
}

/** The bytes of a body, a character each. */
const bodyOf = ({ pieces }: Answer): string =>
  Buffer.concat([...pieces].filter((piece) => typeof piece !== "number").map(toBytes)).toString("latin1")

const chunks = (draw: Draw, body: string, line: string): string => {
  let framed = ""
  for (let at = 0; at < body.length;) {
    const part = body.slice(at, at + draw.integer(1, 300))
    framed += `${part.length.toString(16)}${draw.pick(["", "", ";a=b", " "])}${line}${part}${line}`
    at += part.length
  }
  return `${framed}0${line}${draw.pick(["", `X: y${line}`])}${line}`
}
