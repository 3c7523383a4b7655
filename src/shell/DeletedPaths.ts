import type { Run } from "./Syntax.ts"
import { unknown } from "./ProtectedPaths.ts"

/** The paths, or glob patterns of them, that a command deletes recursively; relative to its working directory. */
export const deletedPaths = ({ args, each, tool }: Run): ReadonlyArray<string> => {
  const operands = operandsOf(args)
  switch (tool.toLowerCase()) {
    case "rm":
    case "srm":
      return isRecursive(args) ? operands : each
    case "shred":
    case "unlink":
      return each
    case "rimraf":
      return operands
    case "rd":
    case "rmdir":
    case "del":
    case "erase":
    case "remove-item":
    case "ri":
      return args.some((arg) => /^(\/s|-r(ecurse)?)$/i.test(arg))
        ? operands.filter((arg) => !/^\/[a-z]$/i.test(arg))
        : []
    case "mv":
      return operands.slice(0, -1)
    case "rsync":
      return args.some((arg) => arg.startsWith("--del")) ? operands.slice(-1) : []
    case "find": {
      const isErasing = args.includes("-delete") || execsOf(args).some(([name = ""]) => isEraser(name))
      return isErasing ? findResults(args) : []
    }
    case "npx":
    case "bunx":
    case "pnpx":
      return operands[0] === "rimraf" ? operands.slice(1) : []
    default:
      return /^(python|node|perl|ruby|deno|bun)[\d.]*$/.test(tool) ? args.flatMap(namedIn) : []
  }
}

const isRecursive = (args: ReadonlyArray<string>): boolean =>
  args.some((arg) => /^-[A-Za-z]*[rR]/.test(arg) || arg.startsWith("--r"))

const isEraser = (name: string): boolean => /^(.*\/)?(rm|shred|unlink)$/.test(name)

/** The arguments that are no options; behind `--` all of them. */
export const operandsOf = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = args.indexOf("--")
  const options = end === -1 ? args : args.slice(0, end)
  return [...options.filter((arg) => !arg.startsWith("-")), ...(end === -1 ? [] : args.slice(end + 1))]
}

/** The paths in calls such as `shutil.rmtree("/")`. */
const namedIn = (code: string): ReadonlyArray<string> =>
  [...code.matchAll(/\b(?:rmtree|rmSync|rmdirSync|rm|rm_rf|rm_r|remove_tree|rimraf)\s*\(?\s*["']([^"']+)["']/g)].map(
    ([, path = unknown]) => path
  )

/** The paths that `find` starts from, for everything below them; `unknown` if its tests narrow the results down. */
export const findResults = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { paths, tests } = partsOf(args)
  if (isNarrow(tests)) return paths.map(() => unknown)
  // With these options a link stands for its target.
  return args.some((arg) => /^-[LH]$/.test(arg)) ? paths.map((path) => `${path}/`) : paths
}

const partsOf = (args: ReadonlyArray<string>) => {
  const first = args.findIndex((arg) => /^[-(!]/.test(arg) && !/^-[HLP]$/.test(arg))
  const paths = (first === -1 ? args : args.slice(0, first)).filter((arg) => !arg.startsWith("-"))
  return { paths: paths.length === 0 ? ["."] : paths, tests: first === -1 ? [] : args.slice(first) }
}

/** True if the tests select files by something that not all of them share: a name, an age, a size. */
const isNarrow = (tests: ReadonlyArray<string>): boolean =>
  !tests.some((test) => /^(-o|-or|,)$/.test(test)) &&
  tests.some((test, index) => {
    if (/^(!|-not)$/.test(tests[index - 1] ?? "")) return false
    if (/^-i?(name|path|wholename|regex)$/.test(test)) return !/^[.*?/]*$/.test(tests[index + 1] ?? "")
    return /^-([acm](time|min)|[ac]?newer.*|size|empty|user|uid|group|gid|perm|inum|samefile|links)$/.test(test)
  })

/** The commands that `find` runs, without the `;` or `+` at their ends. */
export const execsOf = (args: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  args.flatMap((arg, index) => {
    if (!/^-(exec|ok)(dir)?$/.test(arg)) return []
    const rest = args.slice(index + 1)
    const end = rest.findIndex((word, at) => word === ";" || (word === "+" && rest[at - 1] === "{}"))
    return [end === -1 ? rest : rest.slice(0, end)]
  })
