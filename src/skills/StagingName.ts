import * as NodePath from "node:path"
import { type ProcessIdentity, self } from "../process/ProcessIdentity.ts"

/**
 * What stands beside a skill for a while, under a name that no skill can have: the `new` one while it is copied, the
 * `old` one until the new one has its place, and what is `gone` until it is deleted.
 */
export interface StagingName {
  readonly name: string
  readonly kind: "new" | "old" | "gone"
  /** Who made it, and sees to it while it runs. */
  readonly owner: ProcessIdentity
}

/** A path for a new sibling of a skill. */
export const stagingName = (folder: string, name: string, kind: StagingName["kind"]): string => {
  const { pid, started } = self()
  const random = Math.random().toString(36).slice(2)
  return NodePath.join(folder, `.${name}.${kind}.${pid}.${started}.${random}`)
}

/** What the name of a directory entry says. */
export const parseStagingName = (entry: string): StagingName | undefined => {
  const found = /^\.([a-z0-9-]+)\.(new|old|gone)\.(\d+)\.([^.]+)\.[a-z0-9]*$/.exec(entry)
  const [, name, kind, pid, started] = found ?? []
  if (name === undefined || pid === undefined || started === undefined) return undefined
  return { name, kind: kind as StagingName["kind"], owner: { pid: Number(pid), started } }
}
