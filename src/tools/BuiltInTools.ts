import * as Effect from "effect/Effect"
import { Config } from "../config/Config.ts"
import { SkillRegistry } from "../skills/SkillRegistry.ts"
import { attach } from "./Attach.ts"
import { finish } from "./Finish.ts"
import { fsEdit } from "./fs/FsEdit.ts"
import { fsGlob } from "./fs/FsGlob.ts"
import { fsGrep } from "./fs/FsGrep.ts"
import { fsList } from "./fs/FsList.ts"
import { fsRead } from "./fs/FsRead.ts"
import { fsWrite } from "./fs/FsWrite.ts"
import { httpRequest } from "./HttpRequest.ts"
import { shellRun } from "./shell/ShellRun.ts"
import { skillRunScript } from "./skill/SkillRunScript.ts"
import { skillView } from "./skill/SkillView.ts"
import type { Tool } from "./Tool.ts"
import { Workspace } from "./Workspace.ts"

/** The tools of the sidecar, in the order in which the model and the documents list them. */
export const builtInTools: Effect.Effect<ReadonlyArray<Tool>, never, Config | SkillRegistry | Workspace> = Effect.gen(
  function* () {
    const { http, tools } = yield* Config
    const skills = yield* SkillRegistry
    const workspace = yield* Workspace
    return [
      fsList(workspace),
      fsRead(workspace),
      fsWrite(workspace),
      fsEdit(workspace),
      fsGlob(workspace),
      fsGrep(workspace),
      shellRun(workspace, tools.shell),
      httpRequest(http),
      skillView(skills),
      skillRunScript(skills, tools.shell),
      attach(workspace),
      finish
    ]
  }
)
