/**
 * A fake llama-server, which `FakeServer.ts` makes executable. It loads, listens, streams, fails and ignores TERM as
 * `play.json` in its folder says, and writes what happens to the file `notes` there.
 */
import * as Fs from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import * as Path from "node:path"
import { chunk, say, toBytes } from "../../../src/testing/LlamaAnswers.ts"
import type { Noted, Play } from "./FakeServer.ts"

const [dir = ".", ...args] = process.argv.slice(2)
const file = (name: string) => Path.join(dir, name)
const note = (what: Noted) => Fs.appendFileSync(file("notes"), `${JSON.stringify(what)}\n`)
const play: Play = JSON.parse(Fs.readFileSync(file("play.json"), "utf8"))
const starts = Fs.readdirSync(dir).filter((name) => name.startsWith("start-")).length
Fs.writeFileSync(file(`start-${starts}`), "")

const held = (fd: number) => (process.platform === "linux" ? Fs.readlinkSync(`/proc/self/fd/${fd}`) : "/dev/null")
const secrets = Object.keys(process.env).filter((name) => /^ATOMIC_AGENT_|^ELECTRON_|^OTEL_.*HEADERS$/.test(name))
note({ _tag: "Started", pid: process.pid, args, stdin: held(0), stdout: held(1), secrets })

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, () => {
    // What came before the signal is noted before it.
    setTimeout(() => {
      note({ _tag: "Signalled", signal })
      if (play.isDeaf !== true) process.exit(0)
    }, 1)
  })
}
const die = () => process.kill(process.pid, "SIGKILL")

Fs.writeSync(2, play.writes ?? "")
if (starts < (play.failures ?? 0)) process.exit(1)

const isLoaded = () => play.isGated !== true || Fs.existsSync(file("loaded"))

const answer = (response: ServerResponse, asked: string): void => {
  note({ _tag: "Requested", text: asked })
  if (asked === "die" || (asked === "die once" && starts === 0)) return void die()
  response.writeHead(200, { "Content-Type": "text/event-stream" })
  if (asked === "hang" || asked === "begin and die") {
    response.on("close", () => note({ _tag: "Disconnected" }))
    return void response.write(toBytes(chunk({ content: "well" })), () => asked !== "hang" && die())
  }
  for (const piece of say({ text: "Hello." }).pieces) if (typeof piece !== "number") response.write(toBytes(piece))
  response.end()
}

const server = createServer((request, response) => {
  const json = (status: number, body: unknown) => {
    response.writeHead(status, { "Content-Type": "application/json" })
    response.end(JSON.stringify(body))
  }
  if (!isLoaded()) return json(503, { error: { message: "Loading model", type: "unavailable_error", code: 503 } })
  if (request.url === "/health") return json(200, { status: "ok" })
  if (request.url === "/props") {
    return json(200, { model_path: "fake.gguf", default_generation_settings: { n_ctx: 4096 } })
  }
  let body = ""
  request.setEncoding("utf8").on("data", (text: string) => (body += text))
  request.on("end", () => answer(response, JSON.parse(body).messages.at(-1).content))
})
if (play.isMute === true) setInterval(() => {}, 1000)
else server.listen(Number(args[args.indexOf("--port") + 1]), args[args.indexOf("--host") + 1])
