import type { SeededRandom } from "../../../src/testing/SeededRandom.ts"

/** What a life's `config.json`, `.env` and environment hold, without what depends on the place. */
export interface Settings {
  readonly config: { readonly [section: string]: object }
  readonly dotEnv: string | undefined
  readonly env: { readonly [name: string]: string }
  /** Variables for which the process must refuse to start. */
  readonly invalid: { readonly [name: string]: string } | undefined
  /** A line longer than this is a bad one, in bytes; undefined: none here is. */
  readonly maxLineBytes: number | undefined
  /** The model's server is one that the sidecar starts itself, or only a script. */
  readonly mode: "external" | "managed" | "scripted"
}

/** `silenceMs`: a model server may be silent for longer. */
export const drawSettings = (random: SeededRandom, silenceMs: number): Settings => {
  const maxLineBytes = random.chance(0.3) ? random.pick([4096, 65_536]) : undefined
  const outputBufferBytes = random.chance(0.3) ? random.pick([1, 2048, 65_536]) : undefined
  const invalid = random.chance(0.04) ? random.pick(invalids) : undefined
  const dotEnv = random.chance(0.3) ? random.pick(dotEnvs) : undefined
  return {
    config: {
      agent: {
        approvalLevel: random.integer(1, 5),
        maxSteps: random.integer(2, 6),
        toolTimeoutMs: random.integer(300, 3000),
        ...(random.chance(0.2) && { conversationMaxTokens: random.integer(200, 4000) }),
        ...(random.chance(0.2) && { instructions: "Be brief.\u2028Über alles: 简短。" }),
        ...(random.chance(0.1) && { task: { maxSteps: random.integer(2, 4) } })
      },
      log: { level: random.weighted({ info: 4, debug: 2, warn: 1, error: 1 }) },
      tools: {
        shell: {
          defaultTimeoutMs: random.integer(300, 2500),
          maxOutputBytes: random.pick([1, 1000, 100_000, 1_048_576])
        }
      },
      http: {
        hostAllowlist: random.chance(0.6) ? ["127.0.0.1", "localhost"] : [],
        maxResponseBytes: random.pick([10, 10_000]),
        defaultTimeoutMs: random.integer(200, 800),
        enabled: random.chance(0.9)
      },
      skills: { disabled: random.chance(0.1) ? ["good-skill"] : [] },
      sidecar: { ...(maxLineBytes && { maxLineBytes }), ...(outputBufferBytes && { outputBufferBytes }) }
    },
    dotEnv,
    env: {
      ATOMIC_AGENT_LLAMA_FIRST_TOKEN_TIMEOUT_MS: `${silenceMs + random.integer(0, 600)}`,
      ATOMIC_AGENT_LLAMA_REQUEST_TIMEOUT_MS: `${silenceMs + random.integer(0, 600)}`,
      ATOMIC_AGENT_LLAMA_HEALTH_TIMEOUT_MS: `${random.integer(50, 500)}`,
      ATOMIC_AGENT_LLAMA_COMPLETION_RETRY_BACKOFF_MS: `${random.integer(0, 30)}`,
      ...(random.chance(0.3) && { ATOMIC_AGENT_MAX_PARALLEL_TOOL_CALLS: `${random.integer(1, 4)}` })
    },
    invalid,
    maxLineBytes,
    mode: random.weighted({ external: 16, managed: 1, scripted: 2 })
  }
}

/** A number that is none, one out of range, an address and a level that are none. */
const invalids = [
  { ATOMIC_AGENT_LLAMA_MAX_TOKENS: "many" },
  { ATOMIC_AGENT_MAX_PARALLEL_TOOL_CALLS: "17" },
  { ATOMIC_AGENT_LLAMA_URL: "not a url" },
  { ATOMIC_AGENT_LOG_LEVEL: "loud" }
]

const dotEnvs = [
  "",
  "\uFEFF# nothing\r\n\r\nATOMIC_AGENT_LLAMA_TEMPERATURE=0.5\r\n",
  'ATOMIC_AGENT_LLAMA_API_KEY="sk-torture" # secret\n',
  "export ATOMIC_AGENT_LLAMA_SEED=7\nOTHER='a # b'\n"
]
