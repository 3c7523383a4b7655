import type { Buffer } from "node:buffer"
import { attempt } from "../../files/FileErrors.ts"
import { refuse } from "../../files/Refused.ts"
import { withRegularFile } from "../../files/RegularFile.ts"
import type { ActNeed, Plan } from "../Tool.ts"
import { type Location, readNeed } from "../Workspace.ts"

/**
 * The plan of a write of what the file has already. It writes nothing, then or later: if the content is another one when it runs,
 * it fails. It asks only where a read of the file would ask, since there its silence would tell what is in it; `reading` is the
 * file as one to read.
 */
export const noChange = ({ path, real }: Location, reading: Location, content: Buffer, need: ActNeed): Plan => {
  const run = attempt(() =>
    withRegularFile(real, async (handle, { size }) => {
      if (size !== content.length || !(await handle.readFile()).equals(content))
        throw refuse(`${real} has changed since it was looked at; look again`)
      return { text: `${path} has this content already (no change)` }
    })
  )
  const isSilent = reading.real === real && readNeed(reading, need.reason).need === undefined
  return isSilent ? { run } : { need, run }
}
