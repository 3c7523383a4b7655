import * as path from "node:path"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { Settings } from "./Settings.ts"
import * as ConfigFile from "./ConfigFile.ts"
import { ConfigInvalid } from "./ConfigInvalid.ts"
import { headerSecrets } from "./Secrets.ts"
import * as DotEnv from "./DotEnv.ts"
import { managedUrl } from "./ManagedUrl.ts"
import { telemetry } from "./Otel.ts"
import { baseUrl } from "./Rules.ts"
import * as Variables from "./Variables.ts"

/** The environment and the directories that settings are relative to. */
export interface Place {
  readonly environment: Variables.Environment
  /** Absolute. */
  readonly cwd: string
  /** Absolute; undefined if the system names none. */
  readonly home: string | undefined
}

/** Everything that settings are resolved from. */
export interface Sources extends Place {
  /** The text of `<stateDir>/.env`. */
  readonly dotEnv?: string
  /** The text of `<stateDir>/config.json`. */
  readonly configJson?: string
}

export const stateDirVariable = "ATOMIC_AGENT_STATE_DIR"

/** The absolute path of the state directory (runtime, State directory). */
export const stateDir = (place: Place): Result.Result<string, ConfigInvalid> => {
  const named = Variables.set(place.environment[stateDirVariable]) ?? "~/.atomic-agent"
  if (place.home === undefined && inHome.test(named)) {
    const expected = "an absolute path, since there is no home directory"
    return Result.fail(new ConfigInvalid({ source: `environment variable ${stateDirVariable}`, expected }))
  }
  return Result.succeed(absolute(place, named))
}

const inHome = /^~(?=$|[\\/])/

const absolute = ({ cwd, home }: Place, file: string): string =>
  path.resolve(cwd, home === undefined ? file : file.replace(inHome, () => home))

/** Resolves all settings: environment over `.env` over `config.json` over default (runtime, Configuration). */
export const resolve = (sources: Sources): Result.Result<Settings, ConfigInvalid> =>
  Result.gen(function* () {
    const directory = yield* stateDir(sources)
    const envFile = path.join(directory, ".env")
    const assigned = yield* Result.mapError(
      DotEnv.parse(sources.dotEnv ?? ""),
      (line) =>
        new ConfigInvalid({ source: `${envFile} line ${line}`, expected: "KEY=VALUE, # and a comment, or nothing" })
    )
    const variables = yield* Variables.parse(sources.environment, envFile, assigned)
    const { configJson } = sources
    const file =
      configJson === undefined ? {} : yield* ConfigFile.parse(path.join(directory, "config.json"), configJson)
    const assignments = Array.from(assigned, ([name, { value }]) => [name, value] as const)
    const secrets = headerSecrets([...Object.entries(sources.environment), ...assignments])
    return { ...settings(sources, directory, variables, file), secrets }
  })

const settings = (
  place: Place,
  directory: string,
  variables: Variables.Variables,
  file: ConfigFile.ConfigFile
): Omit<Settings, "secrets"> => {
  const { localModels: models = {}, agent = {}, http = {}, sidecar = {} } = file
  const { managed = {} } = models
  const { task = {} } = agent
  const mode = models.mode ?? "external"
  const port = managed.port ?? 19_091
  const shell = file.tools?.shell ?? {}
  const apiKey = variables.ATOMIC_AGENT_LLAMA_API_KEY
  return {
    stateDir: directory,
    localModels: {
      mode,
      url:
        mode === "managed"
          ? managedUrl(port)
          : baseUrl(variables.ATOMIC_AGENT_LLAMA_URL ?? models.url ?? "http://127.0.0.1:8080"),
      model: text(models.model),
      completionMaxTokens: variables.ATOMIC_AGENT_LLAMA_MAX_TOKENS ?? models.completionMaxTokens ?? 16_384,
      thinking: models.thinking ?? "auto",
      script: optionalFile(place, models.script),
      managed: {
        command: program(place, managed.command ?? "llama-server"),
        modelPath: optionalFile(place, managed.modelPath),
        port,
        contextSize: managed.contextSize ?? 0,
        args: managed.args ?? []
      }
    },
    llama: {
      apiKey: apiKey === undefined ? undefined : Redacted.make(apiKey),
      healthTimeoutMs: variables.ATOMIC_AGENT_LLAMA_HEALTH_TIMEOUT_MS ?? 3000,
      firstTokenTimeoutMs: variables.ATOMIC_AGENT_LLAMA_FIRST_TOKEN_TIMEOUT_MS ?? 1_800_000,
      requestTimeoutMs: variables.ATOMIC_AGENT_LLAMA_REQUEST_TIMEOUT_MS ?? 300_000,
      completionRetries: variables.ATOMIC_AGENT_LLAMA_COMPLETION_RETRIES ?? 3,
      retryBackoffMs: variables.ATOMIC_AGENT_LLAMA_COMPLETION_RETRY_BACKOFF_MS ?? 150,
      defaultSlot: variables.ATOMIC_AGENT_LLAMA_DEFAULT_SLOT ?? -1,
      temperature: variables.ATOMIC_AGENT_LLAMA_TEMPERATURE,
      topP: variables.ATOMIC_AGENT_LLAMA_TOP_P,
      topK: variables.ATOMIC_AGENT_LLAMA_TOP_K,
      seed: variables.ATOMIC_AGENT_LLAMA_SEED
    },
    agent: {
      maxSteps: agent.maxSteps ?? 25,
      task: { maxSteps: task.maxSteps ?? 1000, maxDurationMs: task.maxDurationMs ?? 7_200_000 },
      approvalLevel: agent.approvalLevel ?? (agent.approvalRequired === false ? 5 : 1),
      toolTimeoutMs: agent.toolTimeoutMs ?? 60_000,
      conversationMaxTokens: agent.conversationMaxTokens ?? 0,
      instructions: text(agent.instructions),
      maxParallelToolCalls: variables.ATOMIC_AGENT_MAX_PARALLEL_TOOL_CALLS ?? 8
    },
    log: { level: variables.ATOMIC_AGENT_LOG_LEVEL ?? file.log?.level ?? "info" },
    tools: {
      shell: {
        defaultTimeoutMs: shell.defaultTimeoutMs ?? 120_000,
        maxOutputBytes: shell.maxOutputBytes ?? mebibyte
      }
    },
    http: {
      enabled: http.enabled ?? true,
      hostAllowlist: http.hostAllowlist ?? [],
      maxResponseBytes: http.maxResponseBytes ?? mebibyte,
      defaultTimeoutMs: http.defaultTimeoutMs ?? 30_000
    },
    skills: { disabled: file.skills?.disabled ?? [] },
    sidecar: {
      maxLineBytes: sidecar.maxLineBytes ?? 32 * mebibyte,
      outputBufferBytes: sidecar.outputBufferBytes ?? 8 * mebibyte
    },
    telemetry: telemetry(variables)
  }
}

/** Blank counts as unset. */
const text = (value: string | null | undefined): string | undefined => (value?.trim() ? value : undefined)

/** A mere name is kept, to be searched for on the PATH. */
const program = (place: Place, command: string): string => (/[\\/]/.test(command) ? absolute(place, command) : command)

const optionalFile = (place: Place, value: string | null | undefined): string | undefined => {
  const file = text(value)
  return file === undefined ? undefined : absolute(place, file)
}

const mebibyte = 1024 * 1024
