import { isDelta, isSameText, withText } from "../protocol/Delta.ts"
import type { SidecarEvent } from "../protocol/Event.ts"
import { eventExtensions } from "../protocol/EventTypes.ts"

/** Whether a frame is an event that this release knows; a newer sidecar may send others. */
export const isKnownEvent = (frame: unknown): frame is SidecarEvent =>
  isObject(frame) &&
  frame["kind"] === "event" &&
  typeof frame["type"] === "string" &&
  Object.hasOwn(eventExtensions, frame["type"]) &&
  isObject(frame["payload"])

export const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null

/** The session that an event belongs to, if it belongs to one. */
export const sessionOf = ({ payload }: SidecarEvent): string | undefined =>
  "sessionId" in payload ? payload.sessionId : undefined

/** Two deltas of one text that stand next to each other, as one; undefined for all other events. */
export const mergeEvents = (last: SidecarEvent, next: SidecarEvent): SidecarEvent | undefined =>
  isDelta(last) && isDelta(next) && isSameText(last, next)
    ? withText(last, last.payload.text + next.payload.text)
    : undefined
