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

const ofOldFile: ReadonlyArray<WorldChange> = [
  { name: "gets another content", make: (path) => Fs.writeFileSync(path, "another text\n") },
  { name: "is removed", make: (path) => Fs.rmSync(path) },
  { name: "becomes a folder", make: (path) => (Fs.rmSync(path), Fs.mkdirSync(path)) }
]

const ofNewFile: ReadonlyArray<WorldChange> = [
  { name: "comes into being", make: (path) => Fs.writeFileSync(path, "precious\n") },
  { name: "becomes a folder", make: (path) => Fs.mkdirSync(path) },
  {
    name: "lies in a folder that becomes a file",
    make: (path) => (Fs.rmSync(Path.dirname(path), { recursive: true }), Fs.writeFileSync(Path.dirname(path), "file\n"))
  }
]

/** All that can happen to a path of the world that a call uses so. */
export const changesOf = (path: string, use: PathUse): ReadonlyArray<WorldChange> => {
  if (use !== "writes") return leadsOut
  return [...leadsOut, ...(Fs.existsSync(path) ? ofOldFile : ofNewFile)]
}
