/**
 * `npm run torture -- [--scenario A,B] [--minutes N] [--runs N] [--seed S] [--world W]`: real sidecars where it hurts,
 * judged by the contract. By default random worlds for five minutes; `--scenario all` plays every scenario. The same seed
 * makes the same plans, and `--world` plays one world of a seed again, as a violation names it.
 */
import { spawnSync } from "node:child_process"
import { given, integerFrom, positive, someOf } from "./Arguments.ts"
import { cleanUpAtExit } from "./torture/CleanUp.ts"
import { lineOf } from "./torture/Figure.ts"
import { type ScenarioOptions, scenarios } from "./torture/Scenarios.ts"

const known = Object.keys(scenarios) as Array<keyof typeof scenarios>
const { options } = given({
  scenario: someOf([...known, "all"]),
  minutes: positive,
  runs: integerFrom(1),
  seed: integerFrom(0),
  world: integerFrom(0)
})
const { minutes = 5, runs, scenario = ["worlds"], seed = Date.now() % 1_000_000_000, world } = options
const ownMounts = "TORTURE_OWN_MOUNTS"

/** Small and read-only disks are mounts: of a namespace that ends with us, where that may be had. */
const canMount = process.env[ownMounts] === "1"

if (!canMount && spawnSync("unshare", ["--mount", "true"]).status === 0) {
  // In place of this process, so that who ends it ends the torture.
  const args = ["env", "unshare", "--mount", process.execPath, ...process.argv.slice(1)]
  process.removeAllListeners("warning")
  process.execve?.("/usr/bin/env", args, { ...process.env, [ownMounts]: "1" })
}

cleanUpAtExit()

console.log(`torture, seed ${seed}`)
for (const name of scenario.includes("all") ? known : known.filter((each) => scenario.includes(each))) {
  const play = scenarios[name] as (options: ScenarioOptions) => ReturnType<(typeof scenarios)[typeof name]>
  try {
    for (const figure of await play({ seed, runs, minutes, world, canMount })) console.log(lineOf(figure))
  } catch (error) {
    console.error(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    process.exitCode = 1
  }
}
process.exit()
