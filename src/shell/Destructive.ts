import { deletedPaths, operandsOf } from "./DeletedPaths.ts"
import type { Run } from "./Syntax.ts"
import { absolutePath, isProtected, type ShellPlace, unknown } from "./ProtectedPaths.ts"

export const deletesProtected = "it erases / or the home directory"

/** The reason why a command must never run; undefined if there is none. */
export const destroys = (run: Run, place: ShellPlace): string | undefined =>
  reasons.find(([, holds]) => holds(run, place))?.[0]

const erasesRoot = (run: Run, place: ShellPlace): boolean => {
  const isOnWindows = /^(rd|rmdir|del|erase|remove-item|ri)$/i.test(run.tool)
  return deletedPaths(run).some((path) => isProtected(path, place) || (isOnWindows && isDrive(path)))
}

const formatsDisk = (run: Run, place: ShellPlace): boolean => {
  const { args, tool } = run
  const operands = operandsOf(run.args)
  // To format an image in a file does no harm.
  if (/^(mkfs|mke2fs|newfs|mkswap|mkntfs|mkdosfs|mkexfatfs|wipefs|sfdisk|cfdisk|sgdisk)([._]|$)/.test(tool)) {
    return operands.some(
      (path) => path.includes(unknown) || isDrive(path) || absolutePath(path, place).startsWith("/dev/")
    )
  }
  if (/^(fdisk|parted|gdisk)$/.test(tool)) {
    return operands.some((path) => isDisk(path, place)) && !args.some((arg) => /^(-l|--list|print)$/.test(arg))
  }
  if (/^format(\.com)?$/i.test(tool)) return operands.some(isDrive)
  if (tool === "diskutil") return /^(erase|partition|zero|secureErase|reformat)/i.test(operands[0] ?? "")
  if (tool === "nvme") return /^(format|sanitize|write-zeroes|delete-ns)$/.test(operands[0] ?? "")
  if (tool === "hdparm") return args.some((arg) => /^--(security-erase|trim-sector|write-sector|sanitize)/.test(arg))
  if (tool === "mdadm") return args.includes("--zero-superblock")
  return tool === "cryptsetup" && args.some((arg) => /^(luksFormat|erase|luksErase)$/.test(arg))
}

const overwritesDisk = (run: Run, place: ShellPlace): boolean => {
  const { args, targets, tool } = run
  const operands = operandsOf(run.args)
  const isOne = (path: string) => isDisk(path, place)
  if (targets.some(isOne)) return true
  if (tool === "dd") return args.some((arg) => arg.startsWith("of=") && isOne(arg.slice("of=".length)))
  if (/^(cp|mv|install)$/.test(tool)) return isOne(operands.at(-1) ?? "")
  if (/^(tee|shred|truncate|blkdiscard)$/.test(tool)) return operands.some(isOne)
  return tool === "badblocks" && args.some((arg) => /^-[a-z]*w/.test(arg)) && operands.some(isOne)
}

const shutsDown = (run: Run, place: ShellPlace): boolean => {
  const { args, targets, tool } = run
  const operands = operandsOf(run.args)
  const [first = ""] = operands
  const written = tool === "tee" ? [...targets, ...operands] : targets
  if (written.some((path) => absolutePath(path, place) === "/proc/sysrq-trigger")) return true
  if (/^(shutdown|reboot|halt|poweroff|stop-computer|restart-computer)$/i.test(tool)) {
    return !args.some((arg) => /^(-c|\/a|--help|--version)$/.test(arg))
  }
  if (tool === "init" || tool === "telinit") return /^[06]$/.test(first)
  if (tool === "systemctl" || tool === "loginctl") {
    if (/^(start|isolate)$/.test(first))
      return operands.some((unit) => /^(poweroff|reboot|halt|kexec)\.target$/.test(unit))
    return /^(poweroff|reboot|halt|kexec|emergency|rescue)$/.test(first)
  }
  if (/^(busctl|dbus-send|gdbus|qdbus)$/.test(tool))
    return args.some((arg) => /(^|\.)(PowerOff|Reboot|Halt)$/.test(arg))
  return tool === "osascript" && args.some((arg) => /\b(shut ?down|restart)\b/i.test(arg))
}

/** True for open files and memory of another process in `/proc`: the sidecar's pipes are for frames alone. */
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
  [deletesProtected, erasesRoot],
  ["it formats a disk", formatsDisk],
  ["it overwrites a disk", overwritesDisk],
  ["it shuts the machine down", shutsDown],
  ["it reaches into the pipes or the memory of another process", reachesIntoProcess]
]

const isDrive = (path: string): boolean => /^[A-Za-z]:[\\/]?\*?(\.\*)?$/.test(path)

const isDisk = (path: string, place: ShellPlace): boolean =>
  disk.test(path) || disk.test(absolutePath(path, place)) || /^[\\/]{2}\.[\\/]PhysicalDrive/i.test(path)

const disk =
  /^\/dev\/(r?disk\d|disk\/|block\/|[shv]d[a-z*?[]|xvd[a-z*?[]|nvme[\d*?[]|mmcblk\d|mapper\/|md\d|dm-\d|loop\d|nbd\d|zd\d|bcache\d|pmem\d|k?mem$)/
