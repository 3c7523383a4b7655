import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Layer from "effect/Layer"
import { Config } from "../src/Config.ts"
import * as LlamaHttp from "../src/llama/LlamaHttp.ts"
import { LlamaClient } from "../src/llama/LlamaClient.ts"
import * as R from "../src/llama/ReplyReader.ts"
import * as EventStream from "../src/llama/EventStream.ts"
import * as http from "node:http"
const N = 100000
const ev = (t: string) =>
  `data: ${JSON.stringify({ choices: [{ finish_reason: null, index: 0, delta: { content: t } }], created: 1796007912, id: "chatcmpl-xe5fP22cHufUJbSYvjtAUgldr982GuIm", model: "tiny", system_fingerprint: "b10587-3f545becc", object: "chat.completion.chunk" })}\n\n`
let s = ""
for (let i = 0; i < N; i++) s += ev(" word" + (i % 10))
s += `data: {"choices":[{"finish_reason":"stop","index":0,"delta":{}}]}\n\ndata: [DONE]\n\n`
const body = Buffer.from(s)
for (let r = 0; r < 5; r++) {
  let t0 = performance.now()
  let st = R.start([])
  let n = 0
  for (let i = 0; i < body.length; i += 65536) {
    const x = R.push(st, body.subarray(i, i + 65536))
    st = x.state
    n += x.events.length
  }
  const t = performance.now() - t0
  t0 = performance.now()
  let es = EventStream.start
  let m = 0
  for (let i = 0; i < body.length; i += 65536) {
    const x = EventStream.push(es, body.subarray(i, i + 65536))
    es = x.state
    m += x.events.length
  }
  const t2 = performance.now() - t0
  t0 = performance.now()
  es = EventStream.start
  for (let i = 0; i < body.length; i += 65536) {
    const x = EventStream.push(es, body.subarray(i, i + 65536))
    es = x.state
    for (const e of x.events) if (e.data !== "[DONE]") JSON.parse(e.data)
  }
  console.log(
    "pure us/chunk",
    ((t * 1000) / N).toFixed(3),
    "sse only",
    ((t2 * 1000) / N).toFixed(3),
    "sse+parse",
    (((performance.now() - t0) * 1000) / N).toFixed(3),
    n,
    m
  )
}
if (process.argv[2] === "server") {
  const server = http
    .createServer((q, res) => {
      q.resume()
      res.writeHead(200, { "content-type": "text/event-stream" })
      res.end(body)
    })
    .listen(0, () => console.log("PORT", (server.address() as any).port))
} else if (process.argv[2]) {
  const url = process.argv[2]
  await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const client = yield* LlamaClient
        const req = {
          system: "You are.",
          history: [{ kind: "user" as const, at: 1, turnId: "t", text: "hi" }],
          tools: [],
          turnIndex: 0,
          stepIndex: 0
        }
        for (let i = 0; i < 5; i++) {
          const t0 = performance.now()
          let n = 0
          yield* Stream.runForEachArray(client.stream(req), (a) =>
            Effect.sync(() => {
              n += a.length
            })
          )
          console.log("http tokens/s", Math.round((n / (performance.now() - t0)) * 1000))
        }
        for (let i = 0; i < 3; i++) {
          const t0 = performance.now()
          yield* Effect.promise(
            () =>
              new Promise<void>((ok) =>
                http.get(url, { agent: false }, (res) => {
                  res.on("data", () => {})
                  res.on("end", () => ok())
                })
              )
          )
          console.log("bare tokens/s", Math.round((N / (performance.now() - t0)) * 1000))
        }
      }).pipe(Effect.provide(Layer.provide(LlamaHttp.layer, Config.layerOf({ localModels: { url } }))))
    )
  )
}
