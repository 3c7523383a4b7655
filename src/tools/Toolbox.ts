import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Config } from "../config/Config.ts"
import type { ToolSpec } from "../domain/ToolCall.ts"
import * as BackgroundGroups from "../process/BackgroundGroups.ts"
import * as OrphanReaper from "../process/OrphanReaper.ts"
import { builtInTools } from "./BuiltInTools.ts"
import { openTools } from "./OpenTools.ts"
import type { SessionTools } from "./SessionTools.ts"
import type { Tool } from "./Tool.ts"
import { toolNamed } from "./ToolNames.ts"
import { specOf } from "./ToolSpecs.ts"

/** What a session's tools are made for. */
export interface ToolsOf {
  /** Absolute path. */
  readonly workingDir: string
  /** Names of tools that the session does not have. */
  readonly disabledTools?: ReadonlyArray<string>
  /** Tools of this session alone, behind the others. */
  readonly extra?: ReadonlyArray<Tool>
}

/** The tools that sessions may have. */
export class Toolbox extends Context.Service<
  Toolbox,
  {
    /** The names of all tools. */
    readonly names: ReadonlyArray<string>
    /** The tools of a session, which ends with the scope. */
    open(session: ToolsOf): Effect.Effect<SessionTools["Service"], never, Scope.Scope>
  }
>()("atomic-agent-sidecar/tools/Toolbox") {
  /** The built-in tools and others; a tool with the name of a built-in one replaces it. */
  static readonly layerWith = (extra: ReadonlyArray<Tool>) =>
    Layer.effect(
      Toolbox,
      Effect.gen(function* () {
        const settings = yield* Config
        const reaper = yield* OrphanReaper.make
        const byName = new Map<string, Tool>([...(yield* builtInTools), ...extra].map((tool) => [tool.name, tool]))
        const tools = [...byName.values()]
        const names = [...byName.keys()]
        let specs: ReadonlyArray<ToolSpec> | undefined

        const describe = () => (specs ??= tools.map(specOf))
        // Deriving them takes milliseconds: it is done when the process is idle, so that the first turn need not wait.
        yield* Effect.forkScoped(Effect.andThen(Effect.yieldNow, Effect.sync(describe)))

        const open = ({ disabledTools = [], extra = [], workingDir }: ToolsOf) =>
          Effect.map(BackgroundGroups.make(reaper), (background) => {
            const disabled = new Set(disabledTools.map((name) => toolNamed(name, names)))
            const isOffered = ({ name }: { readonly name: string }) => !disabled.has(name)
            const described = {
              tools: [...tools.filter(isOffered), ...extra],
              specs: () =>
                disabled.size + extra.length === 0
                  ? describe()
                  : (own ??= [...describe().filter(isOffered), ...extra.map(specOf)])
            }
            let own: ReadonlyArray<ToolSpec> | undefined
            return openTools(settings, described, { workingDir, background })
          })

        return Toolbox.of({ names, open })
      })
    )

  static readonly layer = Toolbox.layerWith([])
}
