/** A command without the prefixes that run it, such as `sudo`, `env` and `xargs`. */
export interface Unwrapped {
  readonly words: ReadonlyArray<string>
  /** Present for `xargs`, which appends its input to the words, or puts it in place of `placeholder`. */
  readonly viaXargs: { readonly placeholder: string | undefined } | undefined
  /** The directory that `env` or `sudo` changes to before. */
  readonly folder: string | undefined
}

/** Commands that run another one, with the number of operands before it. */
const wrappers = new Map<string, number>([
  ...named(0, "sudo doas env nohup nice ionice time setsid stdbuf command builtin exec xargs busybox toybox unbuffer"),
  ...named(0, "caffeinate systemd-run"),
  ...named(1, "timeout chroot flock")
])

/** Commands that run another one after options and operands of many kinds: it is searched for by its name. */
const launchers = new Set(
  `runuser pkexec setpriv unshare nsenter strace ltrace taskset chrt numactl gtimeout fakeroot firejail bwrap arch setarch
  linux32 linux64 dbus-run-session dbus-launch xvfb-run prlimit cgexec rlwrap gosu su-exec tini dumb-init faketime perf
  valgrind catchsegv chronic ts ssh-agent proxychains proxychains4 torsocks cpulimit daemonize tmux screen`.split(/\s+/)
)

function named(operands: number, names: string): ReadonlyArray<readonly [string, number]> {
  return names.split(" ").map((name) => [name, operands])
}

/** Options of wrappers that take the next word as their value. */
const valued = /^-(?:[uacdgCDhpPRTnIoeiELsk]|-user|-group|-chdir|-signal)$/

/** Never skipped as the value of an option: that would hide a command. */
const isCommand = /^(rm|dd|shred|mkfs|find|shutdown|reboot|halt|poweroff|init|tee|sh|bash|dash|zsh|eval|sudo|env)\b/

/** Removes assignments and prefixes from a command, down to the one that runs in the end. */
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
    let remaining = operands
    while (at < given.length) {
      const word = given[at] ?? ""
      if (word === "-S" || word === "--split-string")
        return { words: ["eval", ...given.slice(at + 1)], viaXargs, folder }
      if (!word.startsWith("-")) {
        if (remaining === 0) break
        remaining -= 1
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

/** The directory in `-C /x`, `-D/x`, `--chdir=/x`. */
const folderOf = (word: string, next: string | undefined): string | undefined => {
  const value = /^(?:-[CD]|--chdir=?)(.*)$/.exec(word)?.[1]
  return value === "" ? next : value
}

/** The placeholder in `-I{}`, `-I {}`, `-i`, `--replace={}`. */
const placeholderOf = (word: string, next: string | undefined): string | undefined => {
  const value = /^(?:-I|-i|--replace=?)(.*)$/.exec(word)?.[1]
  return value !== "" ? value : word === "-I" ? next : "{}"
}

/** `rm` for `/usr/bin/rm` and `rm.exe`. */
export const baseName = (path: string): string => path.replace(/^.*[/\\]/, "").replace(/\.exe$/i, "")
