import type { SidecarFrame } from "../../src/protocol/Frame.ts"
import type { Recording, recordings } from "./recordings.ts"

export type Name = keyof typeof recordings

/** A change to a good run. */
export type Edit = (recording: Recording) => ReadonlyArray<SidecarFrame>

/** What is wrong, in which good run, by what change, and the rule that must be named. */
export type Breach = readonly [what: string, of: Name, edit: Edit, rule: RegExp]

/** The frame as if it had been written once more. */
export const fresh = (frame: SidecarFrame): SidecarFrame => ({ ...frame, id: `${frame.id}-again` })

/** `type` of an event, `→ type` of the response to a request. */
export const nameOf = ({ requests }: Recording, frame: SidecarFrame): string =>
  frame.kind === "event"
    ? frame.type
    : `→ ${requests.find(({ id }) => id === frame.correlationId)?.type}${frame.ok ? "" : " failed"}`

const indexOf = (recording: Recording, name: string, nth = 0): number => {
  const at = recording.frames.flatMap((frame, index) => (nameOf(recording, frame) === name ? [index] : []))[nth]
  if (at === undefined) throw new Error(`there is no ${name} number ${nth}`)
  return at
}

export const frameOf = (recording: Recording, name: string, nth = 0): any =>
  recording.frames[indexOf(recording, name, nth)]

export const drop =
  (name: string, nth = 0): Edit =>
  (recording) =>
    recording.frames.toSpliced(indexOf(recording, name, nth), 1)

export const double =
  (name: string, nth = 0): Edit =>
  (recording) =>
    recording.frames.toSpliced(indexOf(recording, name, nth) + 1, 0, fresh(frameOf(recording, name, nth)))

/** Puts a frame before another one. */
export const move =
  (name: string, nth: number, before: string, nthBefore = 0): Edit =>
  (recording) => {
    const from = indexOf(recording, name, nth)
    const to = indexOf(recording, before, nthBefore)
    const without = recording.frames.toSpliced(from, 1)
    return without.toSpliced(to > from ? to - 1 : to, 0, recording.frames[from]!)
  }

/** Says a frame once more, before another one. */
export const again =
  (name: string, nth: number, before: string, nthBefore = 0): Edit =>
  (recording) =>
    recording.frames.toSpliced(indexOf(recording, before, nthBefore), 0, fresh(frameOf(recording, name, nth)))

/** Changes one frame; `undefined` takes a key away. */
export const changeFrame =
  (name: string, nth: number, changed: (frame: any) => object): Edit =>
  (recording) =>
    recording.frames.with(
      indexOf(recording, name, nth),
      JSON.parse(JSON.stringify(changed(frameOf(recording, name, nth)))) as SidecarFrame
    )

/** Changes the payload of one frame. */
export const change = (name: string, payload: object, nth = 0): Edit =>
  changeFrame(name, nth, (frame) => ({ ...frame, payload: { ...frame.payload, ...payload } }))

/** Says an event of the same turn before a frame. */
export const insert =
  (type: string, payload: (recording: Recording) => object, before: string, nth = 0): Edit =>
  (recording) => {
    const { sessionId, turnId } = frameOf(recording, "turn_started").payload
    const frame = { kind: "event", id: "inserted", type, payload: { sessionId, turnId, ...payload(recording) } }
    return recording.frames.toSpliced(indexOf(recording, before, nth), 0, frame as SidecarFrame)
  }

export const cutAfter =
  (name: string, nth = 0): Edit =>
  (recording) =>
    recording.frames.slice(0, indexOf(recording, name, nth) + 1)

export const onlyResponses: Edit = ({ frames }) => frames.filter((frame) => frame.kind === "response")

/** One change after the other. */
export const both =
  (one: Edit, other: Edit): Edit =>
  (recording) =>
    other({ ...recording, frames: one(recording) })

/** Ends the n-th turn for another reason, in `turn_finished` and response alike. */
export const endFor = (reason: string, nth: number): Edit =>
  both(change("turn_finished", { reason }, nth), change("→ send_message", { reason }, nth))
