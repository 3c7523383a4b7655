import type { Run } from "./Syntax.ts"
import { deep, unknown } from "./ProtectedPaths.ts"

/** The paths, or glob patterns of them, that a command deletes recursively; relative to its working directory. */
export const deletedPaths = (run: Run): ReadonlyArray<string> => erasedBy(run).map((path) => path.replaceAll(deep, ""))

const erasedBy = ({ args, input, tool }: Run): ReadonlyArray<string> => {
  const operands = operandsOf(args)
  switch (tool.toLowerCase()) {
    case "rm":
    case "srm":
    case "wipe":
      return isRecursive(args) ? operands : operands.filter(isDeep)
    case "shred":
    case "unlink":
    case "truncate":
      return operands.filter(isDeep)
    case "rimraf":
    case "trash":
    case "trash-put":
      return operands
    case "gio":
      return operands[0] === "trash" ? operands.slice(1) : []
    case "git":
      return cleanedBy(args)
    case "rd":
    case "rmdir":
    case "del":
    case "erase":
    case "remove-item":
    case "ri":
      return args.some((arg) => /^(\/s|-r(ecurse)?)$/i.test(arg))
        ? operands.filter((arg) => !/^\/[a-z]$/i.test(arg))
        : []
    case "mv": {
      const at = args.findIndex((arg) => /^(-[a-zA-Z]*t|--target-directory)$/.test(arg))
      const isAimed = args.some((arg) => /^(-t|--target-directory=)./.test(arg))
      return at === -1 ? operands.slice(0, isAimed ? undefined : -1) : operandsOf(args.toSpliced(at, 2))
    }
    case "rsync":
      if (args.some((arg) => arg.startsWith("--remove-source"))) return operands.slice(0, -1)
      return args.some((arg) => arg.startsWith("--del")) ? operands.slice(-1) : []
    case "find":
      return args.includes("-delete") ? findResults(args) : []
    case "npx":
    case "bunx":
    case "pnpx":
      return operands[0] === "rimraf" ? operands.slice(1) : []
    default:
      return /^(python|node|perl|ruby|deno|bun)[\d.]*$/.test(tool) ? [...args, input.join("\n")].flatMap(namedIn) : []
  }
}

/** The paths whose rights or owners a command changes recursively. */
export const changedPaths = ({ args, tool }: Run): ReadonlyArray<string> => {
  if (!/^(chmod|chown|chgrp|setfacl|chattr|chcon)$/.test(tool)) return []
  return operandsOf(args).filter(args.some((arg) => /^(-[A-Za-z]*R|--recursive)/.test(arg)) ? () => true : isDeep)
}

const isDeep = (path: string): boolean => path.endsWith(deep)

const isRecursive = (args: ReadonlyArray<string>): boolean =>
  args.some((arg) => /^-[A-Za-z]*[rR]/.test(arg) || arg.startsWith("--r"))

/** The paths in which `git clean` deletes what git does not know. */
const cleanedBy = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const at = args.indexOf("clean")
  const options = args.slice(at + 1)
  const isForced = options.some((arg) => /^(-[a-zA-Z]*f|--force$)/.test(arg))
  if (at === -1 || !isForced || options.some((arg) => /^(-[a-zA-Z]*n|--dry-run$)/.test(arg))) return []
  let folder = "."
  let tree: string | undefined
  for (const [index, arg] of args.slice(0, at).entries()) {
    const next = args[index + 1] ?? ""
    if (arg === "-C") folder = next.startsWith("/") ? next : `${folder}/${next}`
    else if (arg.startsWith("--work-tree")) tree = arg.split("=")[1] ?? next
  }
  const operands = operandsOf(options)
  return (tree !== undefined ? [tree] : operands.length > 0 ? operands : ["."]).map((path) =>
    path.startsWith("/") ? path : `${folder}/${path}`
  )
}

/** The arguments that are no options; behind `--` all of them. */
export const operandsOf = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = args.indexOf("--")
  const options = end === -1 ? args : args.slice(0, end)
  return [...options.filter((arg) => !arg.startsWith("-")), ...(end === -1 ? [] : args.slice(end + 1))]
}

/** The paths in calls such as `shutil.rmtree("/")`. */
const namedIn = (code: string): ReadonlyArray<string> =>
  [
    ...code.matchAll(
      /\b(?:rmtree|rmSync|rmdirSync|removeSync|rm|rm_rf|rm_r|remove_tree|rimraf)\s*\(?\s*["']([^"']+)["']/g
    )
  ].map(([, path = unknown]) => path)

/** The paths that `find` starts from, `deep`; `unknown` if its tests narrow the results down. */
export const findResults = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { paths, tests } = partsOf(args.filter((arg, index) => arg !== "-D" && args[index - 1] !== "-D"))
  if (isNarrow(tests)) return paths.map(() => unknown)
  // With these options a link stands for its target.
  const isFollowing = args.some((arg) => /^-[LH]$/.test(arg))
  return paths.map((path) => `${path}${isFollowing ? "/" : ""}${deep}`)
}

const partsOf = (args: ReadonlyArray<string>) => {
  const first = args.findIndex((arg) => /^[-(!]/.test(arg) && !/^-([HLP]|O\d)$/.test(arg))
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
export const execsOf = (args: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const execs: Array<Array<string>> = []
  let open: Array<string> | undefined
  for (const arg of args) {
    if (open === undefined) {
      if (/^-(exec|ok)(dir)?$/.test(arg)) execs.push((open = []))
    } else if (arg === ";" || (arg === "+" && open.at(-1) === "{}")) open = undefined
    else open.push(arg)
  }
  return execs
}
