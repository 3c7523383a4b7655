import * as Fs from "node:fs"
import { connect } from "node:net"
import * as Os from "node:os"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Entry } from "./Entry.ts"
import { startInspector } from "./Inspector.ts"
import type { LiveOptions } from "./Options.ts"
import { take } from "./view/Take.ts"
import { empty } from "./view/View.ts"
import { turnOf } from "./view/ConversationFixture.ts"

const bin = Path.join(import.meta.dirname, "../FakeSidecar.ts")
const realBin = Path.resolve(import.meta.dirname, "../../dist/sidecar/main.js")

const makeFolder = () => Fs.mkdtempDisposableSync(Path.join(Os.tmpdir(), "inspector-"))

const inspect = async (more: Partial<LiveOptions> = {}, sidecar = bin) => {
  const dir = makeFolder()
  Fs.writeFileSync(Path.join(dir.path, "config.json"), JSON.stringify({ localModels: { mode: "scripted" } }))
  const file = Path.join(dir.path, "talk.ndjson")
  const env = { ...process.env, ATOMIC_AGENT_STATE_DIR: dir.path }
  const live = { mode: "live", workingDir: dir.path, script: undefined, url: undefined, record: file, port: 0 } as const
  const inspector = await startInspector({ ...live, ...more }, sidecar, env)
  return {
    ...inspector,
    file,
    post: (body: unknown, headers: object = {}) =>
      fetch(`${inspector.url}request`, {
        method: "POST",
        headers: { "content-type": "application/json", origin: new URL(inspector.url).origin, ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body)
      }).then(({ status }) => status),
    [Symbol.asyncDispose]: async () => {
      await inspector.close()
      dir.remove()
    }
  }
}

/** What a page is entries, until it has been entries this. */
const readUntil = async (url: string, isLast: (entry: Entry) => boolean, headers: Record<string, string> = {}) => {
  const entries: Array<Entry> = []
  const stop = new AbortController()
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(20_000)])
  const response = await fetch(`${url}stream`, { headers, signal })
  let rest = ""
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const messages = (rest + chunk).split("\n\n")
    rest = messages.pop() ?? ""
    const batches = messages.flatMap((message) => /^id: \d+\ndata: ([^]*)$/.exec(message)?.[1] ?? [])
    entries.push(...batches.flatMap((batch) => JSON.parse(batch)))
    if (entries.some(isLast)) {
      stop.abort()
      break
    }
  }
  return entries
}

const answerTo = (type: string) => {
  let id: unknown
  return ({ frame }: Entry): boolean => {
    const { correlationId, id: own, kind, type: of } = frame as Record<string, unknown>
    if (kind === "request" && of === type) id = own
    return kind === "response" && correlationId === id
  }
}

describe("the inspector", () => {
  it("passes requests on, shows both directions, and records what it showed", async () => {
    let entries: ReadonlyArray<Entry>
    let file: string
    let recorded: string
    {
      await using inspector = await inspect()
      file = inspector.file
      const asked = readUntil(inspector.url, ({ frame }) => (frame as { type?: string }).type === "approval_request")
      assert.strictEqual(await inspector.post({ type: "send_message", payload: { sessionId: "s-1", text: "Hi" } }), 204)
      await asked
      const reading = readUntil(inspector.url, answerTo("send_message"))
      await inspector.post({ type: "approval_response", payload: { approvalId: "a-1", approved: false, reason: "no" } })
      entries = await reading
      await inspector.close()
      recorded = Fs.readFileSync(file, "utf8")
    }
    const view = entries.reduce(take, empty)
    assert.deepInclude(turnOf(view), { reason: "reply", turnId: "t-1" })
    assert.deepStrictEqual(
      turnOf(view).rows.map(({ kind }) => kind),
      ["thinking", "call", "reply"]
    )
    // Every line is a frame with its time, so that the recording is the same conversation.
    const lines = recorded
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    assert.deepStrictEqual(
      lines.slice(0, entries.length),
      entries.map(({ at, frame, from }) => ({ at, from, frame }))
    )
  })

  it("shows a recording, to which nothing can be sent", async () => {
    using dir = makeFolder()
    const file = Path.join(dir.path, "talk.ndjson")
    const frames = [
      { kind: "request", id: "1", type: "ping", payload: {} },
      { kind: "response", id: "2", correlationId: "1", ok: true, payload: { ok: true } }
    ]
    Fs.writeFileSync(file, `${frames.map((frame) => JSON.stringify(frame)).join("\n\n")}\n`)
    const inspector = await startInspector({ mode: "recorded", file, port: 0 }, bin, process.env)
    try {
      assert.strictEqual(inspector.about, `${file}, 2 frames`)
      const entries = await readUntil(inspector.url, answerTo("ping"))
      assert.deepStrictEqual(
        entries.map(({ from }) => from),
        ["host", "sidecar"]
      )
      const response = await fetch(`${inspector.url}request`, {
        method: "POST",
        headers: { "content-type": "application/json", origin: new URL(inspector.url).origin },
        body: `{"type":"ping"}`
      })
      assert.strictEqual(response.status, 409)
      const [first] = (await (await fetch(`${inspector.url}frames?from=2&count=9`)).json()) as ReadonlyArray<Entry>
      assert.deepStrictEqual(first, { number: 2, from: "sidecar", frame: frames[1] })
    } finally {
      await inspector.close()
    }
  })

  it("goes on where a page was, that comes back", async () => {
    await using inspector = await inspect()
    const [first] = await readUntil(inspector.url, answerTo("start_session"))
    const later = await readUntil(inspector.url, ({ number }) => number === 4, { "last-event-id": "2" })
    assert.deepStrictEqual([first?.number, later[0]?.number], [1, 3])
  })

  it("refuses what does not come from its page, and what is no request", async () => {
    await using inspector = await inspect()
    const { origin } = new URL(inspector.url)
    const ping = { type: "ping" }
    assert.strictEqual((await fetch(`${origin}/`)).status, 404)
    assert.strictEqual((await fetch(`${inspector.url}../page.js`)).status, 404)
    assert.strictEqual((await fetch(`${inspector.url}no.js`)).status, 404)
    assert.strictEqual(await inspector.post(ping, { origin: "http://evil.example" }), 403)
    assert.strictEqual(await inspector.post(ping, { "content-type": "text/plain" }), 415)
    assert.strictEqual(await inspector.post("{"), 400)
    assert.strictEqual(await inspector.post({ payload: {} }), 400)
    assert.strictEqual(await inspector.post({ type: "ping", payload: "x".repeat(5 * 1024 * 1024) }), 413)
    assert.strictEqual(await inspector.post(ping), 204)
    const page = await fetch(inspector.url)
    assert.include(page.headers.get("content-security-policy"), "default-src 'none'")
    assert.notInclude(await page.text(), "http")
  })

  it("is not reached by a name that was pointed at loopback", async () => {
    await using inspector = await inspect()
    const { pathname, port } = new URL(inspector.url)
    const socket = connect(Number(port), "127.0.0.1")
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: evil.example:${port}\r\nConnection: close\r\n\r\n`)
    const answer = (await socket.setEncoding("utf8").toArray()).join("")
    assert.match(answer, /^HTTP\/1\.1 421 /)
    assert.notInclude(answer, "<html")
  })

  it("says that the sidecar is gone, and goes on showing what it said", async () => {
    await using inspector = await inspect({}, realBin)
    const entries = readUntil(inspector.url, answerTo("shutdown"))
    await inspector.post({ type: "shutdown" })
    await entries
    const stream = await fetch(`${inspector.url}stream`, { signal: AbortSignal.timeout(20_000) })
    let text = ""
    for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      if (text.includes("event: live\ndata: false")) break
    }
    assert.strictEqual(await inspector.post({ type: "ping" }), 409)
  })

  it("does not begin where it cannot", async () => {
    const failure = (options: Partial<LiveOptions>) => inspect(options).then(String, ({ message }) => message)
    assert.match(await failure({ workingDir: "/no/such/folder" }), /folder: no folder$/)
    assert.match(await failure({ record: "/no/such/folder/file" }), /ENOENT/)
    const recorded = startInspector({ mode: "recorded", file: "/no/such/file", port: 0 }, bin, process.env)
    assert.match(await recorded.then(String, ({ message }) => message), /ENOENT/)
  })
})
