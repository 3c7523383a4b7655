import { type Answer, type RawAnswer, toBytes } from "../../../src/testing/LlamaAnswers.ts"
import type { SeededRandom } from "../../../src/testing/SeededRandom.ts"

/** An answer whose HTTP is right, and as no other server writes it. */
export const strange = (random: SeededRandom, answer: Answer): RawAnswer => {
  const body = bodyOf(answer)
  const line = random.pick(["\r\n", "\r\n", "\n"])
  const early = random.pick(["", "", `HTTP/1.1 103 Early Hints${line}Link: a${line}${line}`])
  const head = `${early}HTTP/1.1 200${random.pick(["", " ", " Fine"])}${line}content-TYPE:text/event-stream${line}`
  const behind = random.pick(["", "", "HTTP/1.1 200 OK\r\n\r\nnobody asked"])
  const framed = random.pick([
    () => `Transfer-Encoding: Chunked${line}${line}${chunks(random, body, line)}${behind}`,
    () => `Content-Length: ${body.length}${line}Connection: Close${line}${line}${body}${behind}`,
    () => `${line}${body}`
  ])
  return { raw: Buffer.from(head + framed(), "latin1"), chunkBytes: random.pick([1, 7, 100, 100_000]) }
}

/** An answer whose HTTP goes wrong somewhere. */
export const wrong = (random: SeededRandom, answer: Answer): RawAnswer => {
  const body = bodyOf(answer)
  const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
  const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n`
  const framed = chunks(random, body, "\r\n")
  const raw = random.pick([
    `HTTP/1.1 200 OK\r\nContent Type: x\r\n\r\n${body}`,
    `HTTP/1.1 2000 OK\r\n\r\n${body}`,
    `${head}${"X: y\r\n".repeat(5000)}\r\n${body}`,
    `${head}Content-Length: 5\r\nContent-Length: 6\r\n\r\n${body}`,
    `${head}Content-Length: 1\r\n\r\n${body}`,
    `${head}Content-Length: 9999999\r\n\r\n${body}`,
    `${chunked}${body}`,
    `${chunked}${"f".repeat(30)}\r\n${body}`,
    `${chunked}${framed.slice(0, random.integer(0, framed.length))}zz\r\n${framed}`
  ])
  const ending = random.pick(["end", "hang"] as const)
  return { raw: Buffer.from(raw, "latin1"), chunkBytes: random.pick([7, 100_000]), ending }
}

/** The bytes of a body, a character each. */
const bodyOf = ({ pieces }: Answer): string =>
  Buffer.concat([...pieces].filter((piece) => typeof piece !== "number").map(toBytes)).toString("latin1")

const chunks = (random: SeededRandom, body: string, line: string): string => {
  let framed = ""
  for (let at = 0; at < body.length;) {
    const part = body.slice(at, at + random.integer(1, 300))
    framed += `${part.length.toString(16)}${random.pick(["", "", ";a=b", " "])}${line}${part}${line}`
    at += part.length
  }
  return `${framed}0${line}${random.pick(["", `X: y${line}`])}${line}`
}
