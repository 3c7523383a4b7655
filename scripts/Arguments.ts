import * as Fs from "node:fs"
import * as Path from "node:path"
import { parseArgs } from "node:util"

/** What an argument may be; `take` gives undefined for what it may not be. */
export interface Kind<A> {
  readonly expected: string
  readonly take: (text: string) => A | undefined
}

export const integerFrom = (least: number): Kind<number> => ({
  expected: `an integer from ${least} on`,
  take: (text) => (/^\d{1,15}$/.test(text) && Number(text) >= least ? Number(text) : undefined)
})

export const positive: Kind<number> = {
  expected: "a number above 0",
  take: (text) => (/^\d+(\.\d+)?$/.test(text) && Number(text) > 0 ? Number(text) : undefined)
}

export const text: Kind<string> = { expected: "a text", take: (given) => given }

/** A folder with this file in it. */
export const folderWith = (file: string): Kind<string> => ({
  expected: `a folder with ${file} in it`,
  take: (given) => (Fs.existsSync(Path.join(given, file)) ? given : undefined)
})

/** Some of these names, separated by commas. */
export const someOf = (names: ReadonlyArray<string>): Kind<ReadonlyArray<string>> => ({
  expected: `some of ${names.join(",")}`,
  take: (given) => {
    const chosen = given.split(",")
    return chosen.every((name) => names.includes(name)) ? chosen : undefined
  }
})

type Kinds = { readonly [name: string]: Kind<unknown> }

export type Options<K extends Kinds> = {
  readonly [N in keyof K]?: K[N] extends Kind<infer A> ? A : never
}

/** What the arguments of a script say: `--name VALUE` of a kind each, and words; or what is wrong with them. */
export const read = <const K extends Kinds>(
  args: ReadonlyArray<string>,
  kinds: K,
  words: ReadonlyArray<string> = []
): { readonly options: Options<K>; readonly words: ReadonlyArray<string> } | string => {
  const names = Object.keys(kinds)
  let parsed
  try {
    parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: Object.fromEntries(names.map((name) => [name, { type: "string" as const }]))
    })
  } catch (error) {
    const known = names.map((name) => `--${name}`).join(", ")
    return `${error instanceof Error ? error.message.split(". ")[0] : String(error)}; the options are ${known}`
  }
  const strange = parsed.positionals.find((word) => !words.includes(word))
  if (strange !== undefined) {
    return words.length === 0 ? `${strange}: only options are expected` : `${strange}: not one of ${words.join(", ")}`
  }
  const options: { [name: string]: unknown } = {}
  for (const [name, kind] of Object.entries(kinds)) {
    const given = parsed.values[name]
    if (typeof given !== "string") continue
    const taken = kind.take(given)
    if (taken === undefined) return `--${name} ${given}: expected ${kind.expected}`
    options[name] = taken
  }
  return { options: options as Options<K>, words: parsed.positionals }
}

/** The options of this process's command line. If they are wrong, prints why and exits with 64. */
export const given = <const K extends Kinds>(kinds: K, words: ReadonlyArray<string> = []) => {
  const result = read(process.argv.slice(2), kinds, words)
  if (typeof result !== "string") return result
  console.error(result)
  process.exit(64)
}
