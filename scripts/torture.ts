/**
 * `npm run torture -- [--minutes N] [--seed S] [--world W]`: random hosts, model servers and disks, judged by the contract;
 * the same seed makes the same plans. `--world` plays one world of a seed again, as a violation names it.
 */
import { spawnSync } from "node:child_process"
import { given, integerFrom, positive } from "./Arguments.ts"
import { lineOf } from "./races/Figure.ts"
import { Counts } from "./torture/Counts.ts"
import { longWorld } from "./torture/LongLife.ts"
import { reportOf } from "./torture/Report.ts"
import * as Run from "./torture/Run.ts"
import { torture } from "./torture/Torture.ts"

const { options } = given({ minutes: positive, seed: integerFrom(0), world: integerFrom(0) })
const { minutes = 5, seed = Date.now() % 1_000_000_000, world: only } = options
const ownMounts = "TORTURE_OWN_MOUNTS"

/** Small and read-only disks are mounts: of a namespace that ends with us, where that may be had. */
const inOwnNamespace = (): boolean => process.env[ownMounts] === "1"

if (!inOwnNamespace() && spawnSync("unshare", ["--mount", "true"]).status === 0) {
  // In place of this process, so that who ends it ends the torture.
  const args = ["env", "unshare", "--mount", process.execPath, ...process.argv.slice(1)]
  process.removeAllListeners("warning")
  process.execve?.("/usr/bin/env", args, { ...process.env, [ownMounts]: "1" })
}

Run.begin()

const until = performance.now() + minutes * 60_000
const counts = new Counts()
let breaches = 0
console.log(`torture, seed ${seed}`)
const hasTime = () => performance.now() < until && breaches < 20
await torture({
  seed,
  first: only ?? 0,
  goesOn: (index) => (only === undefined ? hasTime() : index === only && only !== longWorld),
  longGoesOn: () => (only === undefined || only === longWorld) && hasTime(),
  sideBySide: only === undefined ? 5 : 1,
  canMount: inOwnNamespace(),
  counts,
  onBreach: (breach) => {
    breaches++
    console.log(reportOf(seed, breach))
  }
})
for (const figure of counts.figures) console.log(lineOf(figure))
console.log(breaches === 0 ? `no violation, seed ${seed}` : `${breaches} lives with violations, seed ${seed}`)
process.exit(breaches === 0 ? 0 : 1)
