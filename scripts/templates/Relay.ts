import { type Answer, say } from "../../src/testing/LlamaAnswers.ts"
import * as LlamaServer from "../../src/testing/LlamaServer.ts"

/** A refusal of the real server. */
export interface Refused {
  readonly status: number
  /** The reason, as the template gives it. */
  readonly message: string
  /** The beginning of the server's words. */
  readonly words: string
}

/**
 * Stands between a sidecar and a llama-server: each request is asked of the server, which takes or refuses it as it would with
 * the template's model, and what it takes is answered from a script. So the sidecar meets every refusal as it would meet it,
 * and a turn goes the way that its history wants.
 */
export interface Relay {
  readonly url: string
  /** Requests that the server took, as they were sent. */
  readonly taken: ReadonlyArray<object>
  /** The refusals since {@link forget}. */
  readonly refusals: ReadonlyArray<Refused>
  script(answers: ReadonlyArray<Answer>): void
  /** Has the last request that was taken answered by the server itself, one token of it; its refusal, if it refuses. */
  wholly(): Promise<Refused | undefined>
  /** Waits until the next request is taken, or the one after the last that was waited for. */
  next(): Promise<void>
  /** Forgets what is scripted and was not said. */
  dropScript(): void
  /** Forgets all, for another session. */
  forget(): void
  stop(): Promise<void>
}

export const start = async (server: string): Promise<Relay> => {
  const props: unknown = await (await fetch(`${server}/props`)).json()
  let answers: Array<Answer> = []
  let refusals: Array<Refused> = []
  let taken: Array<object> = []
  /** The verdicts so far: most sessions begin alike. */
  const verdicts = new Map<string, ReturnType<typeof ask>>()
  const verdictOn = (body: { readonly messages: unknown; readonly tools?: unknown }) => {
    const key = JSON.stringify([body.messages, body.tools === undefined])
    const known = verdicts.get(key) ?? ask(server, "/apply-template", body)
    verdicts.set(key, known)
    return known
  }
  let awaited = 0
  let wake = () => {}
  const standIn = await LlamaServer.start({
    pages: { "/props": { headers: { "Content-Type": "application/json" }, pieces: [JSON.stringify(props)] } },
    answer: async ({ body }) => {
      const refusal = await verdictOn(body)
      if (refusal === undefined) {
        taken.push(body)
        wake()
        return answers.shift() ?? say({ text: "Done." })
      }
      refusals.push(refusal)
      return {
        status: refusal.status,
        headers: { "Content-Type": "application/json; charset=utf-8" },
        pieces: [refusal.body]
      }
    }
  })
  return {
    url: standIn.url,
    get taken() {
      return taken
    },
    get refusals() {
      return refusals
    },
    script: (more) => void answers.push(...more),
    wholly: async () => (taken.length === 0 ? undefined : ask(server, "/v1/chat/completions", taken.at(-1)!)),
    next: async () => {
      awaited++
      while (taken.length < awaited) await new Promise<void>((resolve) => (wake = resolve))
    },
    dropScript: () => {
      answers = []
    },
    forget: () => {
      answers = []
      refusals = []
      taken = []
      awaited = 0
    },
    stop: standIn.stop
  }
}

/**
 * What the server says to a request; undefined if it takes it. `/apply-template` renders the prompt and stops there; a whole
 * request generates one token, and what that is says nothing.
 */
const ask = async (
  server: string,
  path: string,
  body: object
): Promise<(Refused & { readonly body: string }) | undefined> => {
  const response = await fetch(`${server}${path}`, {
    method: "POST",
    headers: { Connection: "close" },
    body: JSON.stringify({ ...body, max_tokens: 1, stream: false })
  })
  const text = await response.text()
  if (response.status === 200 || text.includes(unreadable)) return undefined
  const { error } = JSON.parse(text) as { readonly error: { readonly message: string } }
  const [reason] = /(?<=Jinja Exception: ).*|(?<=raise_exception\(["']).*/.exec(error.message) ?? [error.message]
  return { status: response.status, message: reason.slice(0, 100), words: error.message.slice(0, 100), body: text }
}

/** The model without training speaks no template's format: the request was taken, its answer could not be read. */
const unreadable = "The model produced output that does not match"
