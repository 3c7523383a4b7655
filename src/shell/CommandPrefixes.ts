/** A command without the prefixes that run it, such as `sudo`, `env` and `xargs`. */
export interface Unwrapped {
  readonly words: ReadonlyArray<string>
  /** The assignments behind `env`, `sudo` and the like. */
  readonly settings: ReadonlyArray<string>
  /** Present for `xargs`, which appends its input to the words, or puts it in place of `placeholder`. */
  readonly viaXargs: Xargs | undefined
  /** The directory that `env` or `sudo` changes to before. */
  readonly folder: string | undefined
}

export interface Xargs {
  readonly placeholder: string | undefined
  /** What separates the items of a line; blanks unless it says otherwise. */
  readonly delimiter: string | undefined
}

/**
 * Commands that run another one: the number of operands before it, and the options that take a value, which may be the
 * next word.
 */
const wrappers = new Map(
  `sudo 0 CDghpRrTtUu chdir close-from group host prompt chroot role type command-timeout other-user user
doas 0 Cu
env 0 CSu chdir split-string unset
nohup 0
nice 0 n adjustment
ionice 0 cnpPu class classdata pid pgid uid
time 0 fo format output
setsid 0
stdbuf 0 ioe input output error
command 0
builtin 0
exec 0 a
xargs 0 adEILnPs arg-file delimiter max-args max-chars max-procs
busybox 0
toybox 0
unbuffer 0
caffeinate 0 tw
systemd-run 0 EGHMpu unit property description slice setenv uid gid nice working-directory on-active on-calendar
systemd-inhibit 0 _ what who why mode
timeout 1 ks kill-after signal
chroot 1 _ groups userspec
flock 1 cEw command conflict-exit-code timeout wait
watch 0 nq interval equexit`
    .split("\n")
    .map((line) => {
      const [name = "", operands = "", letters = "", ...long] = line.split(" ")
      return [name, { operands: Number(operands), letters, long }] as const
    })
)

/** Commands that run another one after options and operands of many kinds: it is searched for by its name. */
const launchers = new Set(
  `runuser pkexec setpriv unshare nsenter strace ltrace taskset chrt numactl gtimeout fakeroot firejail bwrap arch setarch
  linux32 linux64 dbus-run-session dbus-launch xvfb-run prlimit cgexec rlwrap gosu su-exec tini dumb-init faketime perf
  valgrind catchsegv chronic ts ssh-agent proxychains proxychains4 torsocks cpulimit daemonize tmux screen`.split(/\s+/)
)

const isCommand =
  /^(rm|dd|shred|mkfs|find|shutdown|reboot|halt|poweroff|init|tee|sh|bash|dash|zsh|eval|chmod|chown|kill|killall)\b/

/** Removes assignments and prefixes from a command, down to the one that runs in the end. */
export const unwrap = (given: ReadonlyArray<string>): Unwrapped => {
  const settings: Array<string> = []
  let at = 0
  let viaXargs: Xargs | undefined
  let folder: string | undefined
  const result = (words: ReadonlyArray<string>): Unwrapped => ({ words, settings, viaXargs, folder })
  for (;;) {
    for (; /^[A-Za-z_]\w*\+?=/.test(given[at] ?? ""); at += 1) settings.push(given[at] ?? "")
    const name = baseName(given[at] ?? "")
    if (launchers.has(name)) {
      const next = given.findIndex((word, index) => index > at && isRun(baseName(word)))
      if (next === -1) return result(given.slice(at))
      at = next
      continue
    }
    const wrapper = wrappers.get(name)
    const isLookup = name === "command" && /^-[vV]$/.test(given[at + 1] ?? "")
    if (wrapper === undefined || isLookup) return result(given.slice(at))
    if (name === "xargs") viaXargs = { placeholder: undefined, delimiter: undefined }
    at += 1
    let isShell = false
    for (let remaining = wrapper.operands; at < given.length;) {
      const word = given[at] ?? ""
      if (!word.startsWith("-")) {
        if (remaining === 0) break
        remaining -= 1
        at += 1
        continue
      }
      const { key, isDetached, value = given[at + 1] ?? "" } = optionIn(word, wrapper)
      at += isDetached ? 2 : 1
      if (/^(S|split-string)$/.test(key)) return result(["eval", value, ...given.slice(at)])
      if (name === "flock" && /^(c|command)$/.test(key)) return result(["eval", value])
      if (/^(C|D|chdir|working-directory)$/.test(key) && name !== "xargs") folder = value
      if (name === "xargs" && viaXargs !== undefined) viaXargs = { ...viaXargs, ...xargsOption(word, key, value) }
      isShell ||= /^-[A-Za-z]*[is]$/.test(word)
    }
    if (name === "watch") return result(["eval", ...given.slice(at)])
    if (at >= given.length) return result(name === "sudo" && isShell ? ["sh"] : [])
  }
}

const xargsOption = (word: string, key: string, value: string): Partial<Xargs> => {
  if (/^(I|i|replace)$/.test(key)) return { placeholder: value === "" ? "{}" : value }
  if (/^(d|delimiter)$/.test(key)) return { delimiter: value.replace("\\n", "\n") }
  return /^-([rtxpo]*0|-null$)/.test(word) ? { delimiter: "\0" } : {}
}

/** The option with a value in a word: its letter or name, and the value unless it is the next word. */
const optionIn = (
  word: string,
  { letters, long }: { readonly letters: string; readonly long: ReadonlyArray<string> }
) => {
  const [, name, value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? []
  if (name !== undefined) {
    const key = long.find((option) => option.startsWith(name)) ?? name
    return {
      key,
      value: value ?? (long.includes(key) ? undefined : ""),
      isDetached: value === undefined && long.includes(key)
    }
  }
  const index = [...word].findIndex((letter, at) => at > 0 && letters.includes(letter))
  if (index < 1) return { key: word.slice(1, 2), value: word.slice(2), isDetached: false }
  const attached = word.slice(index + 1)
  return { key: word[index] ?? "", value: attached === "" ? undefined : attached, isDetached: attached === "" }
}

/** True for a command that runs another one, which it is given as words. */
export const isPrefix = (name: string): boolean => wrappers.has(name) || launchers.has(name)

const isRun = (name: string): boolean => isCommand.test(name) || isPrefix(name)

/** `rm` for `/usr/bin/rm` and `rm.exe`. */
export const baseName = (path: string): string => path.replace(/^.*[/\\]/, "").replace(/\.exe$/i, "")
