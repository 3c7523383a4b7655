import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import type { Lived } from "./Life.ts"
import type { WorldPlan } from "./Plan.ts"

/** A life that broke the contract. */
export interface Breach {
  readonly world: WorldPlan
  readonly lived: Lived
  readonly violations: ReadonlyArray<string>
}

/** Not the folder of the run, which goes with it. */
const folder = Os.tmpdir()

/** What is wrong, how to see it again, and where all of it is written down. */
export const reportOf = (scenario: string, { lived, violations, world }: Breach): string => {
  const { disk, seed } = world
  const file = Path.join(folder, `torture-${scenario}-${seed}-${world.index}-${lived.plan.index}.json`)
  Fs.writeFileSync(file, JSON.stringify({ seed, world: world.index, disk, violations, ...lived }, null, 1))
  const shown = violations.slice(0, 12).map((violation) => `  ${violation}`)
  const more = violations.length > shown.length ? [`  and ${violations.length - shown.length} more`] : []
  return [
    `world ${world.index}, life ${lived.plan.index}, end: ${lived.plan.end}`,
    ...shown,
    ...more,
    `  frames: ${file}`,
    `  again: npm run torture -- --scenario ${scenario} --seed ${seed} --world ${world.index}`
  ].join("\n")
}
