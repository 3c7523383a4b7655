import { changedPaths, deletedPaths, operandsOf } from "./DeletedPaths.ts"
import type { Run } from "./Syntax.ts"
import { absolutePath, isProtected, matches, type ShellPlace, unknown } from "./ProtectedPaths.ts"

export const deletesProtected = "it erases / or the home directory"

/** The reason why a command must never run; undefined if there is none. */
export const destroys = (run: Run, place: ShellPlace): string | undefined =>
  reasons.find(([, holds]) => holds(run, place))?.[0]

const erasesRoot = (run: Run, place: ShellPlace): boolean => {
  const isOnWindows = /^(rd|rmdir|del|erase|remove-item|ri)$/i.test(run.tool)
  return deletedPaths(run).some((path) => isProtected(path, place) || (isOnWindows && isDrive(path)))
}

const changesRoot = (run: Run, place: ShellPlace): boolean => changedPaths(run).some((path) => isProtected(path, place))

const formatsDisk = (run: Run, place: ShellPlace): boolean => {
  const { args, tool } = run
  const operands = operandsOf(run.args)
  const isOnDisk = operands.some((path) => isDisk(path, place))
  const has = (option: RegExp) => args.some((arg) => option.test(arg))
  // To format an image in a file does no harm.
  if (/^(mkfs|mke2fs|newfs|mkswap|mkntfs|mkdosfs|mkexfatfs)([._]|$)/.test(tool)) {
    return operands.some(
      (path) => path.includes(unknown) || isDrive(path) || absolutePath(path, place).startsWith("/dev/")
    )
  }
  if (/^(wipefs|sfdisk|sgdisk)$/.test(tool)) {
    const isLook =
      tool === "wipefs"
        ? !has(/^(-[a-z]*[ao]|--all|--offset)/)
        : has(/^(-[dlpivJ]$|--(dump|list|print|info|verify|json))/)
    return isOnDisk && !isLook
  }
  if (/^(fdisk|cfdisk|parted|gdisk)$/.test(tool)) return isOnDisk && !has(/^(-l|--list|print)$/)
  if (/^(pvcreate|pvremove|zpool|sg_format|sg_sanitize)$/.test(tool)) return isOnDisk
  if (/^format(\.com)?$/i.test(tool)) return operands.some(isDrive)
  if (tool === "diskutil") return /^(erase|partition|zero|secureErase|reformat)/i.test(operands[0] ?? "")
  if (tool === "nvme") return /^(format|sanitize|write-zeroes|delete-ns)$/.test(operands[0] ?? "")
  if (tool === "hdparm") return has(/^--(security-(erase|set)|trim-sector|write-sector|make-bad|sanitize)/)
  if (tool === "mdadm") return has(/^(--zero-superblock|--create|-C)$/) && isOnDisk
  return tool === "cryptsetup" && has(/^(luksFormat|erase|luksErase|reencrypt)$/)
}

/** The files that a command writes: by redirection, by an option for its output, or as its operands. */
const writtenBy = ({ args, targets, tool }: Run): ReadonlyArray<string> => {
  const operands = operandsOf(args)
  const written = [...targets]
  const has = (option: RegExp) => args.some((arg) => option.test(arg))
  if (/^(tee|shred|truncate|fallocate|blkdiscard|scrub|sponge)$/.test(tool)) written.push(...operands)
  if (
    /^(cp|mv|install|ln|rsync|ddrescue|ffmpeg|objcopy)$/.test(tool) ||
    (tool === "qemu-img" && operands[0] === "convert")
  ) {
    written.push(...operands.slice(-1))
  }
  if (tool === "badblocks" && has(/^-[a-z]*[wn]/)) written.push(...operands)
  if (tool === "sed" && has(/^(-[a-zA-Z]*i|--in-place)/)) written.push(...operands)
  // `-o` of these is no file.
  if (/^([ef]?grep|rg|ps|ssh|mount|echo|printf)$/.test(tool)) return written
  const isArchive = tool === "tar" && has(/^-?[a-zA-Z]*[cru]|^--(create|append|update)$/)
  for (const [index, arg] of args.entries()) {
    const attached = /^(?:-[a-zA-Z]*[oO]|--?out[a-z-]*=|of=|wipe=)(.+)$/s.exec(arg)?.[1]
    const archive = isArchive ? /^(?:-[a-zA-Z]*f|--file=)(.+)$/s.exec(arg)?.[1] : undefined
    for (const path of [attached, archive]) if (path !== undefined) written.push(path)
    const before = args[index - 1] ?? ""
    const isArchiveName = isArchive && /^(-?[a-zA-Z]*f|--file)$/.test(before)
    if (isArchiveName || /^(-[a-zA-Z]*[oO]|--?out[a-z-]*)$/.test(before)) written.push(arg)
  }
  return written
}

const overwritesDisk = (run: Run, place: ShellPlace): boolean => writtenBy(run).some((path) => isDisk(path, place))

const shutsDown = (run: Run, place: ShellPlace): boolean => {
  const { args, tool } = run
  const operands = operandsOf(run.args)
  const has = (option: RegExp) => args.some((arg) => option.test(arg))
  const isSwitch = (path: string) => /^\/(proc\/sysrq-trigger|sys\/power\/state)$/.test(absolutePath(path, place))
  if (writtenBy(run).some(isSwitch)) return true
  if (/^(shutdown|reboot|halt|poweroff|stop-computer|restart-computer)$/i.test(tool)) {
    return !has(/^(-c|\/a|--help|--version)$/)
  }
  if (/^((tel|runit-)?init)$/.test(tool)) return operands.some((operand) => /^[06]$/.test(operand))
  if (tool === "systemctl" || tool === "loginctl") {
    if (operands.some((unit) => /^(start|isolate)$/.test(unit))) {
      return has(/^(poweroff|reboot|halt|kexec|rescue|emergency|ctrl-alt-del|runlevel[016])\.target$/)
    }
    const verb = args.find((arg, index) => !arg.startsWith("-") && !/^-[HMtpsno]$/.test(args[index - 1] ?? ""))
    return /^(poweroff|(soft-)?reboot|halt|kexec|emergency|rescue|suspend|hibernate|hybrid-sleep|terminate-user|kill-user)$/.test(
      verb ?? ""
    )
  }
  if (tool === "kexec") return has(/^(-e|--exec)$/)
  if (/^(pm-(suspend|hibernate)|openrc-shutdown|s6-linux-init-hpr)/.test(tool)) return true
  if (/^(busctl|dbus-send|gdbus|qdbus)$/.test(tool)) return has(/(^|\.)(PowerOff|Reboot|Halt)$/)
  return tool === "osascript" && has(/\b(shut ?down|restart)\b/i)
}

/** True for a signal to every process that the user may signal, or to all of the user's. */
const endsEverything = ({ args, tool }: Run): boolean => {
  if (tool === "killall5") return true
  const isSignal = (arg: string) => /^(-s|-n|--signal)$/.test(arg)
  if (tool === "kill") {
    // The first option names the signal, and may look like a number of a process.
    const [first = ""] = args
    const rest = args.slice(first === "--" || !first.startsWith("-") ? 0 : isSignal(first) ? 2 : 1)
    return rest.includes("-1")
  }
  if (!/^(pkill|killall|skill)$/.test(tool)) return false
  const ofUser = args.findIndex((arg) => /^(-[uU]|--(user|euid|uid))$/.test(arg))
  const rest = operandsOf(args.filter((arg, index) => index !== ofUser + 1 || ofUser === -1)).filter(
    (_, index, all) => !isSignal(all[index - 1] ?? "")
  )
  const isAny = (name: string) => /^[.*^$]+$/.test(name)
  return rest.length === 0 ? ofUser !== -1 : rest.some(isAny)
}

/** True for open files, memory and environment of another process in `/proc`: the sidecar's pipes are for frames alone. */
export const isOfProcess = (absolute: string): boolean =>
  /^\/proc\/(?!self(\/|$))[^/]+\/(?:task\/[^/]+\/)?(fd|mem|environ)(\/|$)/.test(absolute)

const reachesIntoProcess = ({ args, sources, targets, tool }: Run, place: ShellPlace): boolean => {
  const named = /^(ls|readlink|realpath|stat|test|\[|echo|printf|find|file|lsof)$/.test(tool) ? [] : args
  return [...named, ...targets, ...sources].some((word) => {
    // The path may be the value of an option in the same word.
    // A variable that is not known may still be the number of a process.
    const known = word.startsWith(unknown) && place.cwd.startsWith("/proc") ? word.replace(unknown, "0") : word
    const absolute = absolutePath(known.replace(/^(?:-[A-Za-z]+|-{0,2}[\w-]*[=@])(?=\/)/, ""), place)
    return isOfProcess(absolute) || (tool === "ln" && /^\/proc\/(?!self$)[^/]+$/.test(absolute))
  })
}

const reasons: ReadonlyArray<readonly [string, (run: Run, place: ShellPlace) => boolean]> = [
  [deletesProtected, erasesRoot],
  ["it changes the permissions of / or of the home directory", changesRoot],
  ["it formats a disk", formatsDisk],
  ["it overwrites a disk", overwritesDisk],
  ["it shuts the machine down", shutsDown],
  ["it ends every process", endsEverything],
  ["it reaches into the pipes or the memory of another process", reachesIntoProcess]
]

const isDrive = (path: string): boolean => /^[A-Za-z]:[\\/]?\*?(\.\*)?$/.test(path)

const isDisk = (path: string, place: ShellPlace): boolean => {
  const absolute = absolutePath(path, place)
  if (disk.test(absolute) || /^[\\/]{2}\.[\\/]PhysicalDrive/i.test(path)) return true
  const [, name = ""] = /^\/dev\/([^/]*[*?[][^/]*)$/.exec(absolute) ?? []
  return name !== "" && diskNames.some((each) => matches(name, each))
}

const disk =
  /^\/(?:dev\/(r?disk\d|disk\/|block\/|[shv]d[a-z*?[]|xvd[a-z*?[]|nvme[\d*?[]|mmcblk\d|mapper\/|md\d|md\/|dm-\d|loop\d|nbd\d|rbd\d|drbd\d|zd\d|zram\d|bcache\d|pmem\d|mtd|sr\d|root$|k?mem$)|proc\/kcore$)/

/** A pattern for any of these stands for a disk. */
const diskNames = ["sda", "vda", "xvda", "hda", "nvme0n1", "mmcblk0", "md0", "dm-0", "disk0"]

const bombWindow = 200

/** True for `f() { f | f & }; f` under any name, and for its equivalents in other languages. */
export const isForkBomb = (source: string): boolean => {
  const plain = source.replaceAll(/\s+/g, " ")
  const dense = plain.replaceAll(/ ?([(){};|&]) ?/g, "$1").replaceAll("function ", "")
  for (const { 1: name = "", index } of dense.matchAll(/([^(){};|&'"`$<>\s]{1,40})(?:\(\)[{(]|\{)/g)) {
    const body = dense.slice(index + name.length, index + name.length + bombWindow).replaceAll(/[(){}]+/g, ";")
    for (const call of [`${name}|${name}`, `${name}|&${name}`, `${name}&${name}`, `do ${name}&`]) {
      const at = body.replaceAll(/;+(?=[|&])|(?<=[|&]);+/g, "").indexOf(call)
      if (at !== -1) return true
    }
  }
  return /\bfork\s?(?:\(\s?\))?\s?while\b|\bwhile\s?\(?\s?(?:1|true)\s?\)?\s?[:;{]?\s?(?:os\.)?fork\b|\bloop\s?\{\s?fork\b|"?\$0"?\s?[|&]\s?"?\$0"?\s?&/i.test(
    plain
  )
}
