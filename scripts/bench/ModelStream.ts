/** What the last user message asks the stand-in model for: `[[tokens 200 every 5]]`, in milliseconds. */
export interface Wish {
  readonly tokens: number
  /** 0: all at once. */
  readonly everyMs: number
}

export const readWish = (body: string): Wish => {
  const order = [...body.matchAll(/\[\[tokens (\d+) every ([\d.]+)\]\]/g)].at(-1)
  return { tokens: Number(order?.[1] ?? 1), everyMs: Number(order?.[2] ?? 0) }
}

const created = 1796007912
const tail = `,"created":${created},"id":"chatcmpl-zJ76ZXdsqKa1VWIFcgEsqdMcGvu1l78E","model":"tiny","system_fingerprint":"b10587-3f545becc","object":"chat.completion.chunk"`

const event = (choices: string, more = "") => `data: {"choices":[${choices}]${tail}${more}}\n\n`
const choice = (delta: string, finish = "null") => `{"finish_reason":${finish},"index":0,"delta":${delta}}`

/** One HTTP chunk, as llama-server frames each event. */
const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

export const head = [
  "HTTP/1.1 200 OK",
  "Server: llama.cpp",
  "Access-Control-Allow-Origin: ",
  "X-Accel-Buffering: no",
  "Content-Type: text/event-stream",
  "Transfer-Encoding: chunked",
  "Keep-Alive: timeout=5, max=100",
  "\r\n"
].join("\r\n")

const role = event(choice(`{"role":"assistant","content":null}`))

/** What comes before the first token. */
export const opening = (withProgress: boolean): string => {
  if (!withProgress) return chunk(role)
  const progress = `,"prompt_progress":{"total":26,"cache":5,"processed":26,"time_ms":1}`
  return chunk(event(choice(`{"role":"assistant","content":null}`), progress)) + chunk(role)
}

export const token = (text: string): string => chunk(event(choice(`{"content":${JSON.stringify(text)}}`)))

/** The finish, the usage where it was asked for, and the end of the stream. */
export const closing = (tokens: number, withUsage: boolean): string => {
  const timings = `,"timings":{"cache_n":5,"prompt_n":21,"prompt_ms":0.75,"prompt_per_token_ms":0.0357,"prompt_per_second":28000.0,"predicted_n":${tokens},"predicted_ms":4.162,"predicted_per_token_ms":0.52025,"predicted_per_second":1922.1528111484863}`
  const usage = `,"usage":{"completion_tokens":${tokens},"prompt_tokens":26,"total_tokens":${tokens + 26},"prompt_tokens_details":{"cached_tokens":5}}`
  const finish = choice("{}", `"stop"`)
  const last = withUsage ? event(finish) + event("", usage + timings) : event(finish, timings)
  return `${chunk(last)}${chunk("data: [DONE]\n\n")}0\r\n\r\n`
}
