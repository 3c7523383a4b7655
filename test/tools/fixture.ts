import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as NodePath from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Config } from "../../src/config/Config.ts"
import type { Settings } from "../../src/config/Settings.ts"
import type { ToolArguments, ToolResult } from "../../src/domain/ToolCall.ts"
import { CallId } from "../../src/protocol/Ids.ts"
import * as SkillFolders from "../../src/skills/SkillFolders.ts"
import { type Planned, Toolbox } from "../../src/tools/Toolbox.ts"
import type { Tool } from "../../src/tools/Tool.ts"
import { Workspace } from "../../src/tools/Workspace.ts"

/** A directory that is gone when the scope ends. */
export const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(NodePath.join(tmpdir(), "tools-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Writes files, parents created; a key that ends with `/` is a directory. */
export const plant = (root: string, files: { readonly [path: string]: string | Uint8Array }): void => {
  for (const [name, content] of Object.entries(files)) {
    const path = NodePath.join(root, name)
    mkdirSync(name.endsWith("/") ? path : NodePath.dirname(path), { recursive: true })
    if (!name.endsWith("/")) writeFileSync(path, content)
  }
}

/** The defaults, with a state directory that is not there. */
export const settings: Settings = {
  stateDir: "/nonexistent/state",
  localModels: {
    mode: "scripted",
    url: "http://127.0.0.1:8080",
    model: undefined,
    completionMaxTokens: 16384,
    thinking: "auto",
    script: undefined,
    managed: { command: "llama-server", modelPath: undefined, port: 19091, contextSize: 0, args: [] }
  },
  llama: {
    apiKey: undefined,
    healthTimeoutMs: 3000,
    firstTokenTimeoutMs: 1800000,
    requestTimeoutMs: 300000,
    completionRetries: 3,
    retryBackoffMs: 150,
    defaultSlot: -1,
    temperature: undefined,
    topP: undefined,
    topK: undefined,
    seed: undefined
  },
  agent: {
    maxSteps: 25,
    task: { maxSteps: 1000, maxDurationMs: 7200000 },
    approvalLevel: 1,
    toolTimeoutMs: 60000,
    conversationMaxTokens: 0,
    instructions: undefined,
    maxParallelToolCalls: 8
  },
  log: { level: "info" },
  tools: { shell: { defaultTimeoutMs: 120000, maxOutputBytes: 1024 * 1024 } },
  http: { enabled: true, hostAllowlist: [], maxResponseBytes: 1024 * 1024, defaultTimeoutMs: 30000 },
  skills: { disabled: [] },
  sidecar: { maxLineBytes: 32 * 1024 * 1024, outputBufferBytes: 8 * 1024 * 1024 },
  telemetry: undefined,
  secrets: []
}

/** A toolbox over the real file system. */
export const toolbox = (
  change: Partial<Settings> = {},
  extra: ReadonlyArray<Tool> = []
): Layer.Layer<Toolbox | Workspace> =>
  Toolbox.layerWith(extra).pipe(
    Layer.provideMerge(Workspace.layer),
    Layer.provide(SkillFolders.layer),
    Layer.provide(Layer.succeed(Config, { ...settings, ...change }))
  )

/** Looks at a call. */
export const plan = (
  tool: string,
  args: object | ToolArguments,
  workingDir: string
): Effect.Effect<Planned, never, Toolbox> =>
  Effect.gen(function* () {
    const given = "_tag" in args ? (args as ToolArguments) : { _tag: "Parsed" as const, value: { ...args } }
    const { plan, understand } = yield* Toolbox
    return yield* plan(understand({ callId: CallId.make("c-1"), tool, args: given }), { workingDir })
  })

/** What a call would ask, if anything; a text says why it cannot be done. */
export const needOf = (tool: string, args: object, workingDir: string) =>
  Effect.map(plan(tool, args, workingDir), (planned) => (planned._tag === "Ready" ? planned.need : planned.why))

/** Looks at a call and does it, whatever it would have asked. */
export const call = (
  tool: string,
  args: object | ToolArguments,
  workingDir: string
): Effect.Effect<ToolResult, never, Toolbox> =>
  Effect.gen(function* () {
    const planned = yield* plan(tool, args, workingDir)
    return planned._tag === "Ready"
      ? yield* planned.run
      : { status: "error" as const, summary: planned.why, truncated: false }
  })
