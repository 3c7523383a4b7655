import type { TurnEvent } from "../SessionFeed.ts"

/** One figure as an event; none where it could not be measured. */
export const metric = (
  name: string,
  value: number | undefined,
  tags?: { readonly [key: string]: string }
): ReadonlyArray<TurnEvent> =>
  value === undefined || !Number.isFinite(value)
    ? []
    : [{ type: "metric", payload: { name, value, ...(tags === undefined ? {} : { tags }) } }]
