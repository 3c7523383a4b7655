import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as NodePath from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { Config } from "../../src/config/Config.ts"
import type { Settings } from "../../src/config/Settings.ts"
import type { ToolArguments, ToolResult } from "../../src/domain/ToolCall.ts"
import { CallId } from "../../src/protocol/Ids.ts"
import * as SkillFolders from "../../src/skills/SkillFolders.ts"
import type { Planned, SessionTools } from "../../src/tools/SessionTools.ts"
import { Toolbox } from "../../src/tools/Toolbox.ts"
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

/** The scope in which the tools of a test live. */
class ToolsScope extends Context.Service<ToolsScope, Scope.Scope>()("test/tools/ToolsScope") {}

/** What a test of tools needs. */
export type Tools = Toolbox | ToolsScope

/** The tools of a session. */
export const toolsIn = (workingDir: string): Effect.Effect<SessionTools["Service"], never, Tools> =>
  Effect.gen(function* () {
    const toolbox = yield* Toolbox
    const known = opened.get(toolbox)?.get(workingDir)
    if (known !== undefined) return known
    const tools = yield* Scope.provide(toolbox.open({ workingDir }), yield* ToolsScope)
    opened.set(toolbox, new Map([...(opened.get(toolbox) ?? []), [workingDir, tools]]))
    return tools
  })

const opened = new WeakMap<Toolbox["Service"], ReadonlyMap<string, SessionTools["Service"]>>()

/** A toolbox over the real file system. */
export const toolbox = (
  change: Partial<Settings> = {},
  extra: ReadonlyArray<Tool> = []
): Layer.Layer<Tools | Workspace> =>
  Toolbox.layerWith(extra).pipe(
    Layer.provideMerge(Layer.merge(Workspace.layer, Layer.effect(ToolsScope, Effect.scope))),
    Layer.provide(SkillFolders.layer),
    Layer.provide(Layer.succeed(Config, { ...settings, ...change }))
  )

/** Looks at a call. */
export const plan = (
  tool: string,
  args: object | ToolArguments,
  workingDir: string
): Effect.Effect<Planned, never, Tools> =>
  Effect.gen(function* () {
    const given = "_tag" in args ? (args as ToolArguments) : { _tag: "Parsed" as const, value: { ...args } }
    const { plan, understand } = yield* toolsIn(workingDir)
    return yield* plan(understand({ callId: CallId.make("c-1"), tool, args: given }), { emit: () => Effect.void })
  })

/** What a call would ask, if anything; a text says why it cannot be done. */
export const needOf = (tool: string, args: object, workingDir: string) =>
  Effect.map(plan(tool, args, workingDir), (planned) => (planned._tag === "Ready" ? planned.need : planned.why))

/** Looks at a call and does it, whatever it would have asked. */
export const call = (
  tool: string,
  args: object | ToolArguments,
  workingDir: string
): Effect.Effect<ToolResult, never, Tools> =>
  Effect.gen(function* () {
    const planned = yield* plan(tool, args, workingDir)
    return planned._tag === "Ready"
      ? yield* planned.run
      : { status: "error" as const, summary: planned.why, truncated: false }
  })
