import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import type { Breach } from "./World.ts"

/** What is wrong, how to see it again, and where all of it is written down. */
export const reportOf = (seed: number, { lived, violations, world }: Breach): string => {
  const file = Path.join(Os.tmpdir(), `torture-${seed}-${world.index}-${lived.plan.index}.json`)
  const { disk } = world
  Fs.writeFileSync(file, JSON.stringify({ seed, world: world.index, disk, violations, ...lived }, null, 1))
  const shown = violations.slice(0, 12).map((violation) => `  ${violation}`)
  const more = violations.length > shown.length ? [`  and ${violations.length - shown.length} more`] : []
  return [
    `world ${world.index}, life ${lived.plan.index}, end: ${lived.plan.end}`,
    ...shown,
    ...more,
    `  frames: ${file}`,
    `  again: npm run torture -- --seed ${seed} --world ${world.index}`
  ].join("\n")
}
