import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"

/** What the model's calls and the host's requests name: absolute paths, and the address of the model server. */
export interface Scene {
  readonly work: string
  readonly home: string
  readonly state: string
  /** Skills to install, a folder each. */
  readonly skills: string
  readonly serverUrl: string
}

/** What the disk of a state directory is like. */
export type Disk =
  | "good"
  /** No file may grow beyond so many KiB. */
  | { readonly fileKiB: number }
  /** The whole disk has so many KiB. */
  | { readonly diskKiB: number }
  /** From the second life on nothing may be written. */
  | "read-only"

type Command = readonly [program: string, ...args: ReadonlyArray<string>]

/** The directories of a world; its disk is as the plan says, as far as this system lets us have it. */
export class Place {
  readonly root = Fs.mkdtempSync(Path.join(Os.tmpdir(), "torture-"))
  readonly scene: Omit<Scene, "serverUrl">
  /** The plan's disk, or a good one where there is no way to have it. */
  readonly disk: Disk
  readonly #mounted: Array<string> = []

  /** `canMount`: this process has mounts of its own, that are gone with it. */
  constructor(disk: Disk, canMount: boolean) {
    this.disk = possible(disk, canMount)
    const at = (name: string) => Path.join(this.root, name)
    const small = at("small")
    this.scene = {
      work: Path.join(small, "work"),
      state: Path.join(small, "state"),
      home: at("home"),
      skills: at("skills")
    }
    Fs.mkdirSync(small)
    if (typeof this.disk === "object" && "diskKiB" in this.disk) {
      this.#mount(small, ["-t", "tmpfs", "-o", `size=${this.disk.diskKiB}k`, "tmpfs", small])
    }
    for (const folder of Object.values(this.scene)) Fs.mkdirSync(folder, { recursive: true })
    furnish(this.scene)
  }

  get database(): string {
    return Path.join(this.scene.state, "sidecar.sqlite")
  }

  /** Puts a file into the state directory, by a link: a small disk may be full. */
  put(name: string, text: string): void {
    const link = Path.join(this.scene.state, name)
    const target = Path.join(this.root, name)
    Fs.writeFileSync(target, text)
    Fs.rmSync(link, { force: true })
    Fs.symlinkSync(target, link)
  }

  /** What the sidecar is run by. */
  commandFor(command: Command): Command {
    if (typeof this.disk === "string" || !("fileKiB" in this.disk)) return command
    // In blocks of half a KiB.
    return ["/bin/sh", "-c", `ulimit -f ${2 * this.disk.fileKiB}; exec "$0" "$@"`, ...command]
  }

  /** From now on the state directory cannot be written. */
  protect(): void {
    const { state } = this.scene
    if (process.getuid?.() !== 0) return Fs.chmodSync(state, 0o500)
    this.#mount(state, ["--bind", state, state])
    execFileSync("mount", ["-o", "remount,ro,bind", state])
  }

  unprotect(): void {
    const { state } = this.scene
    if (process.getuid?.() !== 0) return Fs.chmodSync(state, 0o700)
    this.#unmount(state)
  }

  [Symbol.dispose](): void {
    for (const path of this.#mounted.toReversed()) this.#unmount(path)
    Fs.rmSync(this.root, { recursive: true, force: true })
  }

  #mount(path: string, args: ReadonlyArray<string>): void {
    execFileSync("mount", args)
    this.#mounted.push(path)
  }

  #unmount(path: string): void {
    execFileSync("umount", ["--lazy", path])
    this.#mounted.splice(this.#mounted.lastIndexOf(path), 1)
  }
}

/** A disk that is full takes mounts; one that is read-only takes them where we are root, whom no mode stops. */
const possible = (disk: Disk, canMount: boolean): Disk => {
  if (disk === "good" || (canMount && process.getuid?.() === 0)) return disk
  if (disk === "read-only") return process.getuid?.() === 0 ? "good" : disk
  return "diskKiB" in disk ? { fileKiB: disk.diskKiB } : disk
}

const furnish = ({ home, skills, work }: Omit<Scene, "serverUrl">): void => {
  const skill = (name: string, front: string, scripts: { readonly [name: string]: string }) => {
    Fs.mkdirSync(Path.join(skills, name, "scripts"), { recursive: true })
    Fs.writeFileSync(Path.join(skills, name, "SKILL.md"), front)
    for (const [script, text] of Object.entries(scripts)) {
      Fs.writeFileSync(Path.join(skills, name, "scripts", script), text, { mode: 0o755 })
    }
  }
  const front = "---\nname: good-skill\ndescription: Says hello.\nrequires_scripts: [hello.sh, slow.sh]\n---\nHello.\n"
  const scripts = {
    "hello.sh": '#!/bin/sh\necho "hello $*"\n',
    "slow.sh": "#!/bin/sh\nsleep 68\n",
    "undeclared.sh": ""
  }
  skill("good", front, scripts)
  skill("bad", "no front matter", {})
  skill("escapes", front, {})
  Fs.symlinkSync("/etc/hostname", Path.join(skills, "escapes", "out"))
  Fs.writeFileSync(Path.join(home, "notes.txt"), "line 1\n")
  Fs.mkdirSync(Path.join(work, "deep/er"), { recursive: true })
  Fs.symlinkSync("deep", Path.join(work, "link"))
  Fs.symlinkSync("/etc/hostname", Path.join(work, "link-out"))
  Fs.symlinkSync("loop", Path.join(work, "loop"))
  execFileSync("mkfifo", [Path.join(work, "pipe")])
  const files = {
    "a.txt": "line 1\nline 2\nline 3\n",
    "b.txt": "日本語\u2028line\n",
    "deep/a.txt": "line 1\n",
    "binary.bin": "\0\u0001\u0002",
    "big.txt": "line with some words\n".repeat(500)
  }
  for (const [name, text] of Object.entries(files)) Fs.writeFileSync(Path.join(work, name), text)
}
