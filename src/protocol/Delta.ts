import type { EventPayload } from "./Event.ts"

/** An event with the next piece of a text. */
export type Delta =
  | { readonly type: "assistant_delta"; readonly payload: EventPayload<"assistant_delta"> }
  | { readonly type: "reasoning_delta"; readonly payload: EventPayload<"reasoning_delta"> }

export const isDelta = <E extends { readonly type: string }>(
  event: E
): event is Extract<E, { readonly type: Delta["type"] }> =>
  event.type === "assistant_delta" || event.type === "reasoning_delta"

/** True if two deltas are pieces of one text: of one kind, turn and step. */
export const isSameText = (one: Delta, other: Delta): boolean =>
  one.type === other.type && keys.every((key) => Reflect.get(one.payload, key) === Reflect.get(other.payload, key))

const keys = ["sessionId", "turnId", "stepIndex"]

/** The same delta with another text. */
export const withText = <D extends Delta>(delta: D, text: string): D => ({
  ...delta,
  payload: { ...delta.payload, text }
})
