import * as Effect from "effect/Effect"
import type {
  SkillInstallPayload,
  SkillInstallResult,
  SkillListResult,
  SkillUninstallPayload,
  SkillUninstallResult
} from "../protocol/Request.ts"
import { NoSession } from "../session/NoSession.ts"
import { SessionPool } from "../session/pool/SessionPool.ts"
import { type InstalledSkill, SkillRegistry } from "../skills/SkillRegistry.ts"
import { StdoutSink } from "../stdio/StdoutSink.ts"
import type { Refused } from "../files/Refused.ts"

/** The handlers of the skill requests, for the project of the active session (contract 8). */
export const make = Effect.gen(function* () {
  const sink = yield* StdoutSink
  const sessions = yield* SessionPool
  const registry = yield* SkillRegistry

  const ofSession = Effect.gen(function* () {
    const workingDir = yield* sessions.workingDir
    return workingDir === undefined ? undefined : { list: registry.list(workingDir) }
  })

  /** Changes the registry, and sends `skill_registry_updated` before the response. */
  const change = Effect.fnUntraced(function* <A>(request: string, make: Effect.Effect<A, Refused>) {
    const here = yield* ofSession
    if (here === undefined) return yield* new NoSession({ request })
    const result = yield* make
    const installed = (yield* here.list).map(({ name, source }) => ({ name, source }))
    yield* sink.emit({ type: "skill_registry_updated", payload: { installed } })
    return result
  })

  const list = Effect.gen(function* () {
    const here = yield* ofSession
    const skills = here === undefined ? [] : yield* here.list
    return { skills: skills.map(shown) } satisfies SkillListResult
  })

  const install = ({ force, sourcePath }: SkillInstallPayload): Effect.Effect<SkillInstallResult, Refusal> =>
    change("skill_install", registry.install(sourcePath, force === true))

  const uninstall = ({ name }: SkillUninstallPayload): Effect.Effect<SkillUninstallResult, Refusal> =>
    change(
      "skill_uninstall",
      Effect.map(registry.uninstall(name), (removed) => ({ removed }))
    )

  return { list, install, uninstall }
})

type Refusal = NoSession | Refused

const shown = ({ description, name, source, version }: InstalledSkill) => ({ name, version, description, source })
