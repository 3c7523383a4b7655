/** A command that is run in the end, and how its arguments come to it. */
export interface Unwrapped {
  readonly words: ReadonlyArray<string>
  /** By `xargs`: what is read is put behind them, or in the place of this text. */
  readonly viaXargs: { readonly placeholder: string | undefined } | undefined
  /** Where it is run instead. */
  readonly folder: string | undefined
}

/** Commands that run another one, with the number of operands that come before it. */
const wrappers = new Map<string, number>([
  ...named(0, "sudo doas env nohup nice ionice time setsid stdbuf command builtin exec xargs busybox toybox unbuffer"),
  ...named(0, "caffeinate systemd-run"),
  ...named(1, "timeout chroot flock")
])

/** Others that run one, with options and operands of many kinds: what follows is looked for by its name. */
const launchers = new Set(
  `runuser pkexec setpriv unshare nsenter strace ltrace taskset chrt numactl gtimeout fakeroot firejail bwrap arch setarch
  linux32 linux64 dbus-run-session dbus-launch xvfb-run prlimit cgexec rlwrap gosu su-exec tini dumb-init faketime perf
  valgrind catchsegv chronic ts ssh-agent proxychains proxychains4 torsocks cpulimit daemonize tmux screen`.split(/\s+/)
)

function named(operands: number, names: string): ReadonlyArray<readonly [string, number]> {
  return names.split(" ").map((name) => [name, operands])
}

/** Options of wrappers that have a value of their own. */
const valued = /^-(?:[uacdgCDhpPRTnIoeiELsk]|-user|-group|-chdir|-signal)$/

/** What cannot be the value of an option: skipping it would hide it. */
const isCommand = /^(rm|dd|shred|mkfs|find|shutdown|reboot|halt|poweroff|init|tee|sh|bash|dash|zsh|eval|sudo|env)\b/

/** The command that is run in the end. */
export const unwrap = (given: ReadonlyArray<string>): Unwrapped => {
  let at = 0
  let viaXargs: Unwrapped["viaXargs"]
  let folder: string | undefined
  for (;;) {
    while (/^[A-Za-z_]\w*\+?=/.test(given[at] ?? "")) at += 1
    const wrapper = baseName(given[at] ?? "")
    if (launchers.has(wrapper)) {
      const next = given.findIndex((word, index) => index > at && isRun(baseName(word)))
      if (next === -1) return { words: given.slice(at), viaXargs, folder }
      at = next
      continue
    }
    const operands = wrappers.get(wrapper)
    if (operands === undefined) return { words: given.slice(at), viaXargs, folder }
    if (wrapper === "xargs") viaXargs = { placeholder: undefined }
    at += 1
    let left = operands
    while (at < given.length) {
      const word = given[at] ?? ""
      if (word === "-S" || word === "--split-string")
        return { words: ["eval", ...given.slice(at + 1)], viaXargs, folder }
      if (!word.startsWith("-")) {
        if (left === 0) break
        left -= 1
      } else {
        if (wrapper === "xargs") viaXargs = { placeholder: placeholderOf(word, given[at + 1]) ?? viaXargs?.placeholder }
        if (wrapper === "env" || wrapper === "sudo") folder = folderOf(word, given[at + 1]) ?? folder
        const hasValue = valued.test(word) && !(wrapper === "xargs" && word === "-i")
        if (hasValue && !isCommand.test(baseName(given[at + 1] ?? ""))) at += 1
      }
      at += 1
    }
  }
}

const isRun = (name: string): boolean => isCommand.test(name) || wrappers.has(name) || launchers.has(name)

/** Of `-C /x`, `-D/x`, `--chdir=/x`. */
const folderOf = (word: string, next: string | undefined): string | undefined => {
  const found = /^(?:-[CD]|--chdir=?)(.*)$/.exec(word)?.[1]
  return found === "" ? next : found
}

/** Of `-I{}`, `-I {}`, `-i`, `--replace={}`. */
const placeholderOf = (word: string, next: string | undefined): string | undefined => {
  const found = /^(?:-I|-i|--replace=?)(.*)$/.exec(word)?.[1]
  if (found === undefined) return undefined
  return found !== "" ? found : word === "-I" ? next : "{}"
}

export const baseName = (path: string): string => path.replace(/^.*[/\\]/, "").replace(/\.exe$/i, "")
