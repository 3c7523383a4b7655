import * as NodePath from "node:path"
import { type ProcessIdentity, self } from "../process/ProcessIdentity.ts"

/**
 * The temporary name of a folder beside the skill `name`, which no skill can have: `new` while it is copied, `old`
 * until the new one has the skill's name, `gone` until it is deleted.
 */
export interface StagingName {
  readonly name: string
  readonly kind: "new" | "old" | "gone"
  /** The process that made it. Other processes do not touch it while that one runs. */
  readonly owner: ProcessIdentity
}

/** A new path in the folder of a skill, with a staging name of this process. */
export const stagingName = (folder: string, name: string, kind: StagingName["kind"]): string => {
  const { pid, started } = self()
  const random = Math.random().toString(36).slice(2)
  return NodePath.join(folder, `.${name}.${kind}.${pid}.${started}.${random}`)
}

/** Parses the name of a directory entry; undefined if it is not a staging name. */
export const parseStagingName = (entry: string): StagingName | undefined => {
  const [, name, kind, pid, started] = /^\.([a-z0-9-]+)\.(new|old|gone)\.(\d+)\.([^.]+)\.[a-z0-9]*$/.exec(entry) ?? []
  if (name === undefined || pid === undefined || started === undefined) return undefined
  return { name, kind: kind as StagingName["kind"], owner: { pid: Number(pid), started } }
}
