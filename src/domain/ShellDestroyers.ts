/** Where a command line would run, as far as it bears on what is blocked. */
export interface ShellPlace {
  /** Absolute. */
  readonly cwd: string
  readonly home: string | undefined
}

/** A command as it would run: its name without a path, its arguments, the files that its output goes to. */
interface Run {
  readonly tool: string
  readonly args: ReadonlyArray<string>
  readonly targets: ReadonlyArray<string>
}

/** Why one command must never run, if so. */
export const destroys = (run: Run, place: ShellPlace): string | undefined =>
  reasons.find(([, holds]) => holds(run, place))?.[0]

const operandsOf = ({ args }: Run): ReadonlyArray<string> => args.filter((arg) => !arg.startsWith("-"))

const erasesRoot = (run: Run, place: ShellPlace): boolean => {
  const { args, tool } = run
  const operands = operandsOf(run)
  const hitsRoot = operands.some((path) => isRootOrHome(path, place))
  if (tool === "rm" || tool === "srm") {
    return hitsRoot && args.some((arg) => /^-[A-Za-z]*[rR]/.test(arg) || arg.startsWith("--rec"))
  }
  if (/^(rd|rmdir|del|erase|remove-item|ri)$/i.test(tool)) {
    const isRecursive = args.some((arg) => /^(\/s|-r(ecurse)?)$/i.test(arg))
    return isRecursive && (hitsRoot || operands.some(isDrive))
  }
  if (tool === "mv") return operands.slice(0, -1).some((path) => isRootOrHome(path, place))
  return tool === "find" && findErasesRoot(args, place)
}

const findErasesRoot = (args: ReadonlyArray<string>, place: ShellPlace): boolean => {
  const first = args.findIndex((arg) => /^[-(!]/.test(arg) && !/^-[HLP]$/.test(arg))
  const paths = (first === -1 ? args : args.slice(0, first)).filter((arg) => !arg.startsWith("-"))
  const isNarrow = args.some((arg) =>
    /^-(i?name|i?path|i?regex|maxdepth|newer|[acm](time|min)|size|empty|user)/.test(arg)
  )
  const exec = args.findIndex((arg) => /^-(exec|ok)(dir)?$/.test(arg))
  const isErasing = args.includes("-delete") || (exec !== -1 && /^(.*\/)?(rm|shred|unlink)$/.test(args[exec + 1] ?? ""))
  return isErasing && !isNarrow && (paths.length === 0 ? ["."] : paths).some((path) => isRootOrHome(path, place))
}

const formatsDisk = (run: Run): boolean => {
  const { args, tool } = run
  const operands = operandsOf(run)
  if (/^(mkfs|mke2fs|newfs|mkswap|wipefs|sfdisk|cfdisk|sgdisk)([._]|$)/.test(tool)) return true
  if (/^(fdisk|parted|gdisk)$/.test(tool)) {
    return operands.some(isDisk) && !args.some((arg) => /^(-l|--list|print)$/.test(arg))
  }
  if (/^format(\.com)?$/i.test(tool)) return operands.some(isDrive)
  if (tool === "diskutil") return /^(erase|partition|zero|secureErase|reformat)/i.test(operands[0] ?? "")
  return tool === "cryptsetup" && args.some((arg) => /^(luksFormat|erase|luksErase)$/.test(arg))
}

const overwritesDisk = (run: Run): boolean => {
  const { args, targets, tool } = run
  const operands = operandsOf(run)
  if (targets.some(isDisk)) return true
  if (tool === "dd") return args.some((arg) => arg.startsWith("of=") && isDisk(arg.slice("of=".length)))
  if (/^(cp|mv|install)$/.test(tool)) return isDisk(operands.at(-1) ?? "")
  if (/^(tee|shred|truncate|blkdiscard)$/.test(tool)) return operands.some(isDisk)
  return tool === "badblocks" && args.some((arg) => /^-[a-z]*w/.test(arg)) && operands.some(isDisk)
}

const shutsDown = (run: Run): boolean => {
  const { args, targets, tool } = run
  if (targets.includes("/proc/sysrq-trigger")) return true
  const [first = ""] = operandsOf(run)
  if (/^(shutdown|reboot|halt|poweroff|stop-computer|restart-computer)$/i.test(tool)) {
    return !args.some((arg) => /^(-c|\/a|--help|--version)$/.test(arg))
  }
  if (tool === "init" || tool === "telinit") return /^[06]$/.test(first)
  if (tool === "systemctl" || tool === "loginctl") return /^(poweroff|reboot|halt|kexec|emergency|rescue)$/.test(first)
  return tool === "osascript" && args.some((arg) => /\b(shut ?down|restart)\b/i.test(arg))
}

const reasons: ReadonlyArray<readonly [string, (run: Run, place: ShellPlace) => boolean]> = [
  ["it erases / or the home directory", erasesRoot],
  ["it formats a disk", formatsDisk],
  ["it overwrites a disk", overwritesDisk],
  ["it shuts the machine down", shutsDown]
]

/** `/`, the home directory, what holds it, or all that is in one of them. */
const isRootOrHome = (given: string, place: ShellPlace): boolean => {
  const path = given.replace(/(?<=.)[/\\]+$/, "")
  const all = /(?:^|[/\\])(?:\.?\*+|\.\[!?\^?\.\]\*|\{[^}]*\*[^}]*\})$/.exec(path)
  const meant = resolveFrom(all === null ? path : path.slice(0, all.index) + (/^[/\\]/.test(all[0]) ? "/" : ""), place)
  if (meant === "/") return true
  const home = place.home === undefined ? undefined : normalize(place.home)
  return home !== undefined && (home === meant || home.startsWith(`${meant}/`))
}

/** Where a path leads from a place, by its name; `~` and the usual variables are known. */
export const resolveFrom = (given: string, { cwd, home = "/" }: ShellPlace): string => {
  const user = home.slice(Math.max(home.lastIndexOf("/"), home.lastIndexOf("\\")) + 1)
  const named = given
    .replace(/^~([^/\\]+)/, (all, name) => (name === user ? home : all))
    .replace(/^(\$HOME\b|\$\{HOME[^}]*\}|%USERPROFILE%|\$env:(USERPROFILE|HOME)\b|~)(?=$|[/\\])/i, () => home)
    .replace(/^(\$PWD\b|\$\{PWD[^}]*\})(?=$|[/\\])/, () => cwd)
  return normalize(/^[/\\]/.test(named) || isDrive(named.slice(0, 3)) ? named : `${cwd}/${named}`)
}

const normalize = (path: string): string => {
  const parts: Array<string> = []
  for (const part of path.split(/[/\\]+/)) {
    if (part === "..") parts.pop()
    else if (part !== "" && part !== ".") parts.push(part)
  }
  return `/${parts.join("/")}`
}

const isDrive = (path: string): boolean => /^[A-Za-z]:[\\/]?\*?(\.\*)?$/.test(path)

const isDisk = (path: string): boolean =>
  /^\/dev\/(r?disk\d|[shv]d([a-z]|\*)|xvd[a-z]|nvme\d|mmcblk\d|mapper\/|md\d|dm-\d|loop\d|k?mem$)/.test(path) ||
  /^[\\/]{2}\.[\\/]PhysicalDrive/i.test(path)
