import type { Extension } from "./Extension.ts"
import type { RequestType } from "./Request.ts"
import type { RequestEntry } from "./RequestEntry.ts"
import { requestTable } from "./RequestTable.ts"

/**
 * A request's payload without the keys of extensions that were not granted: they are unknown keys there, whatever their
 * values (contract 9). The payload itself where it has none of them.
 */
export const withoutUngranted = (
  type: RequestType,
  payload: unknown,
  isGranted: (extension: Extension) => boolean
): unknown => {
  const { keys = {} }: RequestEntry = requestTable[type]
  if (typeof payload !== "object" || payload === null) return payload
  const ignored = Object.entries(keys).flatMap(([key, extension]) =>
    Object.hasOwn(payload, key) && !isGranted(extension) ? [key] : []
  )
  if (ignored.length === 0) return payload
  return Object.fromEntries(Object.entries(payload).filter(([key]) => !ignored.includes(key)))
}
