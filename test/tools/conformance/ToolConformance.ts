import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Config } from "../../../src/config/Config.ts"
import * as SkillFolders from "../../../src/skills/SkillFolders.ts"
import { Toolbox } from "../../../src/tools/Toolbox.ts"
import { Workspace } from "../../../src/tools/Workspace.ts"
import type { ToolConformanceOptions, ToolViolation } from "./ToolCase.ts"
import { ToolChecker } from "./ToolChecker.ts"
import * as ToolWorld from "./ToolWorld.ts"

export type { ToolCase, ToolConformanceOptions, ToolRule, ToolViolation } from "./ToolCase.ts"
export type { PathUse } from "./WorldChanges.ts"

/**
 * Checks the tools that have a case against contract 7 and the rules of `ToolRule`, by calling them in a world of real files. An
 * empty list: no breach. HOME of this process is changed meanwhile, so nothing else that needs it may run.
 */
export const check = (options: ToolConformanceOptions): Effect.Effect<ReadonlyArray<ToolViolation>> =>
  Effect.gen(function* () {
    const world = yield* ToolWorld.make
    const config = { ...world.config, ...options.config }
    const layer = (options.toolbox ?? Toolbox.layer).pipe(
      Layer.provide([Workspace.layer, SkillFolders.layer]),
      Layer.provide(Config.layerOf(config))
    )
    return yield* Effect.provide(
      Effect.flatMap(Toolbox, (toolbox) =>
        Effect.flatMap(toolbox.open(world), (tools) => new ToolChecker(world, tools, options).all)
      ),
      layer
    )
  }).pipe(Effect.scoped)
