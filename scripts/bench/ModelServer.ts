/**
 * A llama-server that does nothing but stream, in a process of its own, so that its work is not counted as anybody
 * else's. Prints its port. It answers raw sockets with bytes made beforehand: as fast as a server can be.
 */
import * as Net from "node:net"
import { closing, head, opening, readWish, token } from "./ModelStream.ts"
import { readRequests, type HttpRequest } from "./RawHttp.ts"

/** The body of the newest request for a completion, for the question how large it was. */
let newest = ""
const bursts = new Map<number, string>()

/** A whole answer's tokens, of five bytes each. */
const burst = (tokens: number): string => {
  const known = bursts.get(tokens)
  if (known !== undefined) return known
  const made = Array.from({ length: tokens }, (_, index) => token(words[index % words.length] ?? "")).join("")
  bursts.set(tokens, made)
  return made
}
const words = [" once", " upon", " many", " tiny", " seas", ", and"]

const stream = (socket: Net.Socket, body: string) => {
  newest = body
  const { tokens, everyMs } = readWish(body)
  const before = head + opening(body.includes(`"return_progress":true`))
  const after = closing(tokens, body.includes(`"include_usage":true`))
  if (everyMs === 0) return void socket.write(before + burst(tokens) + after)
  socket.write(before)
  let sent = 0
  const timer = setInterval(() => {
    // The text is the moment of sending, on the clock that all processes share.
    socket.write(token(` ${process.hrtime.bigint()}`))
    sent += 1
    if (sent < tokens) return
    stop()
    socket.off("close", stop)
    socket.write(after)
  }, everyMs)
  const stop = () => clearInterval(timer)
  socket.once("close", stop)
}

const json = (socket: Net.Socket, status: string, value: unknown) => {
  const body = JSON.stringify(value)
  socket.write(
    `HTTP/1.1 ${status}\r\nServer: llama.cpp\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nKeep-Alive: timeout=5, max=100\r\n\r\n${body}`
  )
}

const answer = (socket: Net.Socket, { path, body }: HttpRequest) => {
  switch (path.replace(/\?.*/, "")) {
    case "/v1/chat/completions":
      return stream(socket, body)
    case "/health":
      return json(socket, "200 OK", { status: "ok" })
    case "/v1/models":
      return json(socket, "200 OK", {
        object: "list",
        data: [{ id: "tiny", object: "model", meta: { n_ctx: 131072 } }]
      })
    case "/props":
      return json(socket, "200 OK", {
        default_generation_settings: { n_ctx: 131072 },
        total_slots: 1,
        model_alias: "tiny"
      })
    case "/bench/newest":
      return json(socket, "200 OK", { body: newest })
    default:
      return json(socket, "404 Not Found", { error: { code: 404, message: "File Not Found", type: "not_found_error" } })
  }
}

const server = Net.createServer({ noDelay: true }, (socket) => {
  socket.on("error", () => {})
  readRequests(socket, (request) => answer(socket, request))
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (typeof address === "object" && address !== null) process.stdout.write(`${address.port}\n`)
})
// The bench holds the other end of stdin: when it goes, so does this.
process.stdin.resume().on("end", () => process.exit(0))
