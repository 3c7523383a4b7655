/** A line as it crossed the pipe. */
export interface Entry {
  /** Counts from 1; what the inspector had to let go of leaves a gap. */
  readonly number: number
  /** When, in milliseconds since the epoch; a recording of bare frames does not tell. */
  readonly at?: number | undefined
  readonly from: "host" | "sidecar"
  /** The frame; a line that was no JSON is a string. */
  readonly frame: unknown
}

/** What is told of a line before it has its number. */
export type Crossing = Omit<Entry, "number">

/** A line of the pipe, as it is. */
export const crossing = (from: Entry["from"], line: string, at: number): Crossing => ({ at, from, frame: read(line) })

/** A line for a recording: `{"at":…,"from":"host","frame":{…}}`. */
export const recordedLine = ({ at, frame, from }: Crossing): string => `${JSON.stringify({ at, from, frame })}\n`

/**
 * A line of a recording: ours, or a bare frame, whose kind says who sent it. Undefined for a blank line.
 */
export const fromRecording = (line: string): Crossing | undefined => {
  if (line.trim() === "") return undefined
  const value = read(line)
  if (!isRecord(value)) return { from: "sidecar", frame: value }
  const { at, frame, from } = value
  if ((from === "host" || from === "sidecar") && frame !== undefined) {
    return { ...(typeof at === "number" && Number.isFinite(at) ? { at } : {}), from, frame }
  }
  return { from: value["kind"] === "request" ? "host" : "sidecar", frame: value }
}

export const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const read = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return line
  }
}
