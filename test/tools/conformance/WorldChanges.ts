import * as Fs from "node:fs"
import * as Path from "node:path"
import type { ToolWorld } from "./ToolWorld.ts"

/** What a call does at a path: reads it, creates or replaces or removes it, or runs something in it. */
export type PathUse = "reads" | "writes" | "runs in"

/** Something that happens to a path between a question and its answer. */
export interface WorldChange {
  readonly name: string
  /** `path` is what the call named, below `home/ws/sub`; absolute. */
  readonly make: (path: string, world: ToolWorld) => void
}

const swapped = (path: string, target: string): void => {
  if (Fs.existsSync(path)) Fs.renameSync(path, `${path}.moved`)
  Fs.symlinkSync(target, path)
}

const leadsOut: ReadonlyArray<WorldChange> = [
  {
    name: "becomes a link that leads outside",
    make: (path, world) => swapped(path, world.path("elsewhere", Path.basename(path)))
  },
  {
    name: "lies in a folder that becomes a link that leads outside",
    make: (path, world) => swapped(Path.dirname(path), world.path("elsewhere"))
  }
]

/** A comment, so that a script that is run all the same ends well. */
const anotherContent: WorldChange = {
  name: "gets another content",
  make: (path) => Fs.writeFileSync(path, "# another text\n")
}

const ofOldFile: ReadonlyArray<WorldChange> = [
  anotherContent,
  { name: "is removed", make: (path) => Fs.rmSync(path) },
  { name: "becomes a folder", make: (path) => (Fs.rmSync(path), Fs.mkdirSync(path)) }
]

/** What can happen to a file that a question is about. */
export const changesOfWatched: ReadonlyArray<WorldChange> = [anotherContent]

const ofNewFile: ReadonlyArray<WorldChange> = [
  { name: "comes into being", make: (path) => Fs.writeFileSync(path, "precious\n") },
  { name: "becomes a folder", make: (path) => Fs.mkdirSync(path) },
  {
    name: "lies in a folder that becomes a file",
    make: (path) => (Fs.rmSync(Path.dirname(path), { recursive: true }), Fs.writeFileSync(Path.dirname(path), "file\n"))
  }
]

const replaced =
  (make: WorldChange["make"]): WorldChange["make"] =>
  (path, world) => {
    Fs.rmSync(path, { recursive: true, force: true })
    make(path, world)
  }

/** All that can be at a path, of which a call must not tell the model unasked if the path lies outside. */
export const whatMayBeThere: ReadonlyArray<WorldChange> = [
  { name: "nothing", make: replaced(() => {}) },
  { name: "a file", make: replaced((path) => Fs.writeFileSync(path, "old text\n")) },
  { name: "a file with another text", make: replaced((path) => Fs.writeFileSync(path, "another text\n")) },
  { name: "a folder", make: replaced((path) => Fs.mkdirSync(path)) },
  {
    name: "a link to a file",
    make: replaced((path, world) => Fs.symlinkSync(world.path("elsewhere/dir/in.txt"), path))
  },
  { name: "a link to a folder", make: replaced((path, world) => Fs.symlinkSync(world.path("elsewhere/dir"), path)) },
  { name: "a link to nothing", make: replaced((path, world) => Fs.symlinkSync(world.path("elsewhere/gone"), path)) }
]

/** All that can happen to a path of the world that a call uses so. */
export const changesOf = (path: string, use: PathUse): ReadonlyArray<WorldChange> => {
  if (use !== "writes") return leadsOut
  return [...leadsOut, ...(Fs.existsSync(path) ? ofOldFile : ofNewFile)]
}
