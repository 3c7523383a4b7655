/**
 * What bare Node needs for the same work: the limit that a sidecar is measured against. A line in, a line out; a message
 * is a request to the model whose stream is read, parsed and, where its tokens come one by one, passed on as lines.
 */
import * as Http from "node:http"

const port = Number(process.argv[2])
const agent = new Http.Agent({ keepAlive: true })
let current: { readonly id: string; readonly request: Http.ClientRequest } | undefined

const write = (frame: object) => process.stdout.write(`${JSON.stringify(frame)}\n`)
const respond = (correlationId: string, payload: object) =>
  write({ kind: "response", id: crypto.randomUUID(), correlationId, ok: true, payload })

const converse = (id: string, text: string) => {
  const body = JSON.stringify({
    messages: [{ role: "user", content: text }],
    stream: true,
    stream_options: { include_usage: true }
  })
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) }
  const passesOn = !text.includes("every 0")
  const request = Http.request({ port, path: "/v1/chat/completions", method: "POST", headers, agent }, (response) => {
    let rest = ""
    let length = 0
    response.setEncoding("utf8")
    response.on("data", (more: string) => {
      const events = (rest + more).split("\n\n")
      rest = events.pop() ?? ""
      let tokens = ""
      for (const event of events) {
        if (event === "data: [DONE]") continue
        tokens += JSON.parse(event.slice("data: ".length)).choices[0]?.delta.content ?? ""
      }
      length += tokens.length
      if (tokens !== "" && passesOn) write({ kind: "event", type: "assistant_delta", payload: { text: tokens } })
    })
    response.on("end", () => respond(id, { length }))
    response.on("error", () => {})
  })
  current = { id, request }
  request.on("error", () => {})
  request.end(body)
}

let rest = ""
process.stdin.setEncoding("utf8").on("data", (more: string) => {
  const lines = (rest + more).split("\n")
  rest = lines.pop() ?? ""
  for (const line of lines) {
    const { id, type, payload } = JSON.parse(line)
    if (type === "send_message") converse(id, payload.text)
    else {
      if (type === "cancel" && current !== undefined) {
        current.request.destroy()
        respond(current.id, {})
      }
      respond(id, {})
    }
  }
})
