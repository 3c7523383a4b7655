/**
 * What bare Node needs for the same work: the limit that a sidecar is measured against. A line in, a line out; a message
 * is a request to the model whose stream is read, parsed and, where its tokens come one by one, passed on as lines.
 */
import * as Http from "node:http"

const port = Number(process.argv[2])
const agent = new Http.Agent({ keepAlive: true })
let current: Http.ClientRequest | undefined

const answer = (id: string, payload: object) =>
  process.stdout.write(
    `${JSON.stringify({ kind: "response", id: crypto.randomUUID(), correlationId: id, ok: true, payload })}\n`
  )

const converse = (id: string, text: string) => {
  const body = JSON.stringify({
    messages: [{ role: "user", content: text }],
    stream: true,
    stream_options: { include_usage: true }
  })
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) }
  current = Http.request({ port, path: "/v1/chat/completions", method: "POST", headers, agent }, (response) => {
    let rest = ""
    let reply = ""
    response.setEncoding("utf8")
    response.on("data", (more: string) => {
      const events = (rest + more).split("\n\n")
      rest = events.pop() ?? ""
      let said = ""
      for (const event of events) {
        if (event === "data: [DONE]") continue
        said += JSON.parse(event.slice("data: ".length)).choices[0]?.delta.content ?? ""
      }
      reply += said
      if (said !== "" && !text.includes("every 0")) process.stdout.write(`${JSON.stringify({ token: said })}\n`)
    })
    response.on("end", () => answer(id, { length: reply.length }))
    response.on("error", () => {})
  })
  current.on("error", () => {})
  current.end(body)
}

let rest = ""
process.stdin.setEncoding("utf8").on("data", (more: string) => {
  const lines = (rest + more).split("\n")
  rest = lines.pop() ?? ""
  for (const line of lines) {
    const { id, type, payload } = JSON.parse(line)
    if (type === "send_message") converse(id, payload.text)
    else {
      if (type === "cancel") current?.destroy()
      answer(id, { ok: true })
    }
  }
})
