import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { ApprovalCategory } from "../../../src/protocol/SessionState.ts"

/** A folder of the world, and what contract 7 asks of a call that writes or reads in it. */
export interface Place {
  readonly name: string
  /** What an argument puts in front of a file's name to name it here; ends with a slash. */
  readonly prefix: string
  readonly write: ApprovalCategory
  /** Absent: reading asks nobody. */
  readonly read?: "fs_read_outside"
  /** It has `old.txt` and `new.txt` alone. */
  readonly hasFilesOnly?: true
}

/** The API key of the world's configuration; `old.txt` in the working directory contains it. */
export const secret = "sk-conformance-0123456789"

/** The beginning of a text or a file name that only lies outside the working directory. */
export const outsideMark = "outside-mark"

const config = "home/state/config.json"
const userSkill = "home/state/skills/mine"
const projectSkill = "home/ws/.atomic-agent/skills/demo"

/** Files of the world by path from its root. */
const files: { readonly [path: string]: string } = {
  ...Object.fromEntries(
    ["home/ws", "home/ws/sub", projectSkill, "home", "elsewhere", userSkill].flatMap((folder) => {
      const mark = folder === "home" || folder === "elsewhere" ? outsideMark : "mark"
      const key = folder === "home/ws" ? `key = ${secret}\n` : ""
      return [
        [`${folder}/old.txt`, `old text\n${mark}\n${key}`],
        [`${folder}/dir/in.txt`, `old text\n${mark}\n`],
        [`${folder}/dir/${mark}.txt`, "old text\n"]
      ]
    })
  ),
  [config]: "old text\n",
  [`${userSkill}/SKILL.md`]: "---\nname: mine\ndescription: Is there.\n---\n",
  [`${projectSkill}/SKILL.md`]:
    "---\nname: demo\ndescription: Prints a word.\nrequires_scripts: [print.sh]\n---\n\nRun print.sh.\n",
  [`${projectSkill}/scripts/print.sh`]: "echo printed\n"
}

const links: { readonly [path: string]: string } = {
  "home/ws/link-home": "..",
  "home/ws/link-out": "../../elsewhere",
  "home/ws/trusted/old.txt": "../../state/config.json",
  "home/ws/trusted/new.txt": "../../state/.env",
  "home/ws/sub/dir/link-out": "../../../../elsewhere",
  "home/ws/dir/link-out": "../../../elsewhere"
}

/**
 * A second name of `old.txt` in the working directory: it keeps the old text if the file is replaced, not if it is
 * written into.
 */
export const hardLink = "elsewhere/second-name.txt"

/**
 * Real files to call tools in: `home/ws` is the working directory, `home` the home directory (HOME is set to it),
 * `home/state` the state directory, `elsewhere` outside of all. Every place has `old.txt`, a folder `dir` and no
 * `new.txt`; the skill `demo` has a script `print.sh`. For POSIX systems.
 */
export class ToolWorld {
  readonly root = Fs.realpathSync(Fs.mkdtempSync(Path.join(tmpdir(), "tools-")))
  readonly workingDir = this.path("home/ws")
  readonly config = { stateDir: this.path("home/state"), llama: { apiKey: Redacted.make(secret) } }
  readonly places: ReadonlyArray<Place> = [
    { name: "in the working directory", prefix: "./", write: "fs_write_workspace" },
    { name: "in a folder in the working directory", prefix: "sub/", write: "fs_write_workspace" },
    { name: "in the home directory", prefix: "~/", write: "fs_write_home", read: "fs_read_outside" },
    { name: "in the parent directory", prefix: "../", write: "fs_write_home", read: "fs_read_outside" },
    { name: "in a link to the home directory", prefix: "link-home/", write: "fs_write_home", read: "fs_read_outside" },
    { name: "outside", prefix: `${this.path("elsewhere")}/`, write: "other", read: "fs_read_outside" },
    { name: "in a link that leads outside", prefix: "link-out/", write: "other", read: "fs_read_outside" },
    { name: "in a skill of the project", prefix: ".atomic-agent/skills/demo/", write: "trust_config" },
    { name: "in a skill of the user", prefix: `${this.path(userSkill)}/`, write: "trust_config" },
    {
      name: "in links to the sidecar's settings",
      prefix: "trusted/",
      write: "trust_config",
      read: "fs_read_outside",
      hasFilesOnly: true
    }
  ]

  #first: ReadonlyMap<string, string> | undefined

  path(...parts: ReadonlyArray<string>): string {
    return Path.join(this.root, ...parts)
  }

  /** Where a path argument leads when it is resolved in the working directory. */
  real(given: string): string {
    const named = given.startsWith("~/") ? this.path("home", given.slice(2)) : Path.resolve(this.workingDir, given)
    const target = Fs.lstatSync(named, { throwIfNoEntry: false })?.isSymbolicLink() ? Fs.readlinkSync(named) : undefined
    const path = target === undefined ? named : Path.resolve(Path.dirname(named), target)
    return Path.join(Fs.realpathSync(Path.dirname(path)), Path.basename(path))
  }

  /** Makes everything as it was at first, touching only what is not, since that is much faster than all anew. */
  plant(): void {
    if (this.#first !== undefined) {
      const changed = differences(this.#first, this.snapshot())
      for (const path of changed) Fs.rmSync(this.path(path), { recursive: true, force: true })
      if (changed.length > 0) Fs.rmSync(this.path(hardLink), { force: true })
    }
    const put = (path: string, make: (path: string) => void) => {
      if (Fs.lstatSync(this.path(path), { throwIfNoEntry: false }) !== undefined) return
      Fs.mkdirSync(Path.dirname(this.path(path)), { recursive: true })
      make(this.path(path))
    }
    for (const [path, text] of Object.entries(files)) put(path, (file) => Fs.writeFileSync(file, text))
    for (const [path, target] of Object.entries(links)) put(path, (link) => Fs.symlinkSync(target, link))
    put(hardLink, (link) => Fs.linkSync(this.path("home/ws/old.txt"), link))
    this.#first ??= this.snapshot()
  }

  /** What is at every path, as one line: kind, mode, and content or target. Paths are from the root. */
  snapshot(): ReadonlyMap<string, string> {
    const lines = new Map<string, string>()
    const visit = (folder: string) => {
      for (const name of Fs.readdirSync(this.path(folder)).toSorted()) {
        const path = Path.join(folder, name)
        const stat = Fs.lstatSync(this.path(path))
        lines.set(path, `${(stat.mode & 0o7777).toString(8)} ${this.#contentOf(path, stat)}`)
        if (stat.isDirectory()) visit(path)
      }
    }
    visit("")
    return lines
  }

  #contentOf(path: string, stat: Fs.Stats): string {
    if (stat.isSymbolicLink()) return `link ${Fs.readlinkSync(this.path(path))}`
    return stat.isFile() ? `file ${Fs.readFileSync(this.path(path), "utf8")}` : "folder"
  }
}

/** A world that is gone with its scope, and until then the home of this process. */
export const make = Effect.acquireRelease(
  Effect.sync(() => {
    const world = new ToolWorld()
    const home = process.env["HOME"]
    process.env["HOME"] = world.path("home")
    return { world, home }
  }),
  ({ home, world }) =>
    Effect.sync(() => {
      if (home === undefined) delete process.env["HOME"]
      else process.env["HOME"] = home
      Fs.rmSync(world.root, { recursive: true, force: true })
    })
).pipe(Effect.map(({ world }) => world))

/** The paths at which two snapshots differ. */
export const differences = (
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>
): ReadonlyArray<string> =>
  [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path)).toSorted()
