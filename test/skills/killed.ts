/**
 * Installs or uninstalls a skill, and dies of SIGKILL right before it changes the disk for the n-th time.
 * Arguments: n, the state directory, then `install` and a folder, or `uninstall` and a name.
 */
import { syncBuiltinESMExports } from "node:module"
import fs from "node:fs/promises"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Config } from "../../src/config/Config.ts"
import * as SkillFolders from "../../src/skills/SkillFolders.ts"
import { SkillRegistry } from "../../src/skills/SkillRegistry.ts"

const [, , last, stateDir = "", what, which = ""] = process.argv
let left = Number(last)

const dying = (isChange: (args: ReadonlyArray<unknown>) => boolean, real: (...args: ReadonlyArray<any>) => unknown) =>
  function (this: unknown, ...args: Array<unknown>) {
    if (isChange(args) && --left === 0) process.kill(process.pid, "SIGKILL")
    return real.apply(this, args)
  }

const always = () => true
for (const name of ["mkdir", "rename", "rm"] as const) Object.assign(fs, { [name]: dying(always, fs[name]) })
Object.assign(fs, { open: dying(([, flags]) => flags === "wx", fs.open) })
const file = await fs.open(import.meta.filename)
const handle = Object.getPrototypeOf(file)
Object.assign(handle, { writeFile: dying(always, handle.writeFile) })
await file.close()
syncBuiltinESMExports()

await Effect.runPromise(
  Effect.flatMap(SkillRegistry, (skills): Effect.Effect<unknown, Error> =>
    what === "install" ? skills.install(which, true) : skills.uninstall(which)
  ).pipe(Effect.provide(SkillFolders.layer.pipe(Layer.provide(Config.layerOf({ stateDir })))))
)
