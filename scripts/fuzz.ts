/**
 * `npm run fuzz [-- --runs N] [--seed S]`: tries the properties of all that is read from outside with N inputs each, 100,000 if
 * it is not said; the same seed makes the same inputs, and a failure tells the smallest one.
 */
import { spawnSync } from "node:child_process"
import { given, integerFrom } from "./Arguments.ts"

const { runs = 100_000, seed = Date.now() % 1_000_000_000 } = given({
  runs: integerFrom(1),
  seed: integerFrom(0)
}).options
console.log(`${runs} inputs for each property, seed ${seed}`)
const env = { ...process.env, FUZZ_RUNS: `${runs}`, FUZZ_SEED: `${seed}` }
const { status } = spawnSync("vitest", ["run", "test/fuzz"], {
  stdio: "inherit",
  env,
  shell: process.platform === "win32"
})
process.exitCode = status ?? 1
