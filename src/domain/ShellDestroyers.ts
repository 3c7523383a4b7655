import { erasedBy, operandsOf } from "./ShellErasures.ts"
import { isVital, type ShellPlace } from "./VitalPaths.ts"

/** A command as it would run: its name without a path, its arguments, the files that its output goes to. */
export interface Run {
  readonly tool: string
  readonly args: ReadonlyArray<string>
  /** Paths that it is given one by one, with all that is in them. */
  readonly each: ReadonlyArray<string>
  /** What it writes to by `>`, what it reads by `<`. */
  readonly targets: ReadonlyArray<string>
  readonly sources: ReadonlyArray<string>
}

export const erasesVital = "it erases / or the home directory"

/** Why one command must never run, if so. */
export const destroys = (run: Run, place: ShellPlace): string | undefined =>
  reasons.find(([, holds]) => holds(run, place))?.[0]

const erasesRoot = (run: Run, place: ShellPlace): boolean => {
  const isOnWindows = /^(rd|rmdir|del|erase|remove-item|ri)$/i.test(run.tool)
  return erasedBy(run).some((path) => isVital(path, place) || (isOnWindows && isDrive(path)))
}

const formatsDisk = (run: Run): boolean => {
  const { args, tool } = run
  const operands = operandsOf(run.args)
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
  const operands = operandsOf(run.args)
  if (targets.some(isDisk)) return true
  if (tool === "dd") return args.some((arg) => arg.startsWith("of=") && isDisk(arg.slice("of=".length)))
  if (/^(cp|mv|install)$/.test(tool)) return isDisk(operands.at(-1) ?? "")
  if (/^(tee|shred|truncate|blkdiscard)$/.test(tool)) return operands.some(isDisk)
  return tool === "badblocks" && args.some((arg) => /^-[a-z]*w/.test(arg)) && operands.some(isDisk)
}

const shutsDown = (run: Run): boolean => {
  const { args, targets, tool } = run
  if (targets.includes("/proc/sysrq-trigger")) return true
  const [first = ""] = operandsOf(run.args)
  if (/^(shutdown|reboot|halt|poweroff|stop-computer|restart-computer)$/i.test(tool)) {
    return !args.some((arg) => /^(-c|\/a|--help|--version)$/.test(arg))
  }
  if (tool === "init" || tool === "telinit") return /^[06]$/.test(first)
  if (tool === "systemctl" || tool === "loginctl") return /^(poweroff|reboot|halt|kexec|emergency|rescue)$/.test(first)
  return tool === "osascript" && args.some((arg) => /\b(shut ?down|restart)\b/i.test(arg))
}

/** The pipes of whoever started us carry frames, and nothing else may come into them. */
const reachesIntoProcess = ({ args, sources, targets, tool }: Run, place: ShellPlace): boolean => {
  const named = /^(ls|readlink|realpath|stat|test|\[|echo|printf|find|file|lsof)$/.test(tool) ? [] : args
  return [...named, ...targets, ...sources].some((word) => {
    const path = word.replace(/^(of|if)=/, "")
    return (
      !path.startsWith("-") &&
      /^\/proc\/(?!self(\/|$)|thread-self(\/|$))[^/]+\/(?:task\/[^/]+\/)?(fd|mem)(\/|$)/.test(
        path.startsWith("/") ? path.replaceAll(/\/+/g, "/") : processPath(path, place)
      )
    )
  })
}

const processPath = (path: string, { cwd }: ShellPlace): string => (cwd.startsWith("/proc") ? `${cwd}/${path}` : "")

const reasons: ReadonlyArray<readonly [string, (run: Run, place: ShellPlace) => boolean]> = [
  [erasesVital, erasesRoot],
  ["it formats a disk", formatsDisk],
  ["it overwrites a disk", overwritesDisk],
  ["it shuts the machine down", shutsDown],
  ["it reaches into the pipes or the memory of another process", reachesIntoProcess]
]

const isDrive = (path: string): boolean => /^[A-Za-z]:[\\/]?\*?(\.\*)?$/.test(path)

const isDisk = (path: string): boolean =>
  /^\/dev\/(r?disk\d|[shv]d([a-z]|\*)|xvd[a-z]|nvme\d|mmcblk\d|mapper\/|md\d|dm-\d|loop\d|k?mem$)/.test(path) ||
  /^[\\/]{2}\.[\\/]PhysicalDrive/i.test(path)
