/**
 * `npm run races [-- WHAT...] [--runs N] [--seed N] [--path P]`: what races, dies, crowds and lasts, with figures. WHAT is
 * one or more of the names below, all of them by default; `--runs` is the number of interleavings or kills. A failure of
 * the interleavings tells the seed and path that show it again.
 */
import { given, integerFrom, text } from "./Arguments.ts"
import { bootSignals } from "./races/BootSignals.ts"
import { brokenPipes } from "./races/BrokenPipes.ts"
import { company } from "./races/Company.ts"
import { crowd } from "./races/Crowd.ts"
import { delays } from "./races/Delays.ts"
import { type Figure, lineOf } from "./races/Figure.ts"
import { hostKilled } from "./races/HostKilled.ts"
import { interleavings } from "./races/Interleavings.ts"
import { kills } from "./races/Kills.ts"
import { longSession } from "./races/LongSession.ts"
import { realTools } from "./races/RealTools.ts"
import { sidecarKilled } from "./races/SidecarKilled.ts"

/** Tells how many there were so far, every so many of them. */
const counted = (what: string, every: number) => {
  let done = 0
  return () => {
    if (process.stderr.isTTY && ++done % every === 0) process.stderr.write(`\r\u001b[K${done} ${what}`)
  }
}

const all: { readonly [name: string]: () => Promise<ReadonlyArray<Figure>> } = {
  interleavings: () => {
    const from = path === undefined ? {} : { path }
    return interleavings({ runs: runs(2000), seed, onRun: counted("interleavings", 100), ...from })
  },
  tools: () => realTools({ runs: runs(300), seed, onRun: counted("conversations", 1) }),
  delays: () => delays(Array.from({ length: 51 }, (_, delay) => delay)),
  kills: () => kills(runs(200), seed),
  company: () => company(8, 100),
  crowd: async () => (await crowd(1000, 5)).figures,
  long: async () => (await longSession(1000)).figures,
  orphans: async () => [
    ...(await hostKilled("end of input")),
    ...(await hostKilled("parent gone")),
    ...(await sidecarKilled("a command")),
    ...(await sidecarKilled("what a command left behind")),
    ...(await sidecarKilled("a script of a skill")),
    ...(await sidecarKilled("programs that are deaf to TERM")),
    ...(await sidecarKilled("a command", { guardFirst: true }))
  ],
  pipes: brokenPipes,
  boot: () => bootSignals(Array.from({ length: 200 }, (_, index) => 2 * index))
}

const { options, words } = given({ runs: integerFrom(1), seed: integerFrom(0), path: text }, Object.keys(all))
const { path, seed = Date.now() % 1_000_000_000 } = options
const runs = (usual: number) => options.runs ?? usual

// `--runs` and `--path` alone are about the interleavings.
const isAboutRuns = options.runs !== undefined || path !== undefined
const names = words.length > 0 ? words : isAboutRuns ? ["interleavings"] : Object.keys(all)
for (const name of names) {
  try {
    const figures = (await all[name]?.()) ?? []
    if (process.stderr.isTTY) process.stderr.write("\r\u001b[K")
    for (const figure of figures) console.log(lineOf(figure))
  } catch (error) {
    console.error(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    process.exitCode = 1
  }
}
process.exit()
