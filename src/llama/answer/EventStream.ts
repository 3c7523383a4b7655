/**
 * One server-sent event. `name` is "" if it has none, `error` also if its field is `error:`, and `bare` for a line that
 * is not a field but begins like JSON.
 */
export interface ServerEvent {
  readonly name: string
  readonly data: string
}

/** How far the body has been read: the bytes of an unfinished line, and the fields of an unfinished event. */
export interface EventStreamState {
  readonly tail: ReadonlyArray<Uint8Array>
  readonly tailBytes: number
  readonly name: string
  readonly data: string | undefined
}

/** The result of one read; `tooLong`: an event is longer than {@link maxEventBytes}, and reading must stop. */
export interface EventStreamStep {
  readonly state: EventStreamState
  readonly events: ReadonlyArray<ServerEvent>
  readonly tooLong: boolean
}

/** The longest event in bytes; real ones are far shorter. */
export const maxEventBytes = 32 * 1024 * 1024

export const start: EventStreamState = { tail: [], tailBytes: 0, name: "", data: undefined }

/**
 * Reads server-sent events as model servers send them: old builds of llama-server name a field `error:`, some servers
 * end lines with CRLF, pings are comments or blank data, an error may be a line of JSON without a field name. Bytes are
 * decoded in whole lines, so a read may end anywhere.
 */
export const push = (state: EventStreamState, bytes: Uint8Array): EventStreamStep => {
  const end = bytes.lastIndexOf(0x0a)
  if (end < 0) {
    const tailBytes = state.tailBytes + bytes.length
    const tail = [...state.tail, bytes]
    return {
      // Concatenating on every read would take quadratic time for a long line in small pieces.
      state: { ...state, tail: tail.length < 100 ? tail : [Buffer.concat(tail)], tailBytes },
      events: [],
      tooLong: tailBytes + lengthOf(state) > maxEventBytes
    }
  }
  const text = Buffer.concat([...state.tail, bytes.subarray(0, end + 1)]).toString("utf8")
  const tailBytes = bytes.length - end - 1
  const { data, events, name } = readLines(text, state)
  const next = { tail: tailBytes === 0 ? [] : [bytes.subarray(end + 1)], tailBytes, name, data }
  return { state: next, events, tooLong: lengthOf(next) + tailBytes > maxEventBytes }
}

const lengthOf = ({ data }: EventStreamState): number => data?.length ?? 0

/** Takes the end of the body; the last event may lack its blank line and its line end. */
export const finish = (state: EventStreamState): ReadonlyArray<ServerEvent> => push(state, Buffer.from("\n\n")).events

const readLines = (text: string, state: EventStreamState) => {
  const events: Array<ServerEvent> = []
  let { name, data } = state
  let from = 0
  while (from < text.length) {
    const to = text.indexOf("\n", from)
    const end = text.charCodeAt(to - 1) === 0x0d && to > from ? to - 1 : to
    if (end === from) {
      if (data !== undefined) events.push({ name, data })
      name = ""
      data = undefined
    } else if (text.charCodeAt(from) === brace) {
      events.push({ name: "bare", data: text.slice(from, end) })
    } else {
      const colon = text.indexOf(":", from)
      const field = colon < 0 || colon >= end ? text.slice(from, end) : text.slice(from, colon)
      const value =
        colon < 0 || colon >= end ? "" : text.slice(text.charCodeAt(colon + 1) === 0x20 ? colon + 2 : colon + 1, end)
      switch (field.charCodeAt(0) === 0xfeff ? field.slice(1) : field) {
        case "data":
          if (value.trim() !== "") data = data === undefined ? value : `${data}\n${value}`
          break
        case "error":
          name = "error"
          data = data === undefined ? value : `${data}\n${value}`
          break
        case "event":
          name = value
          break
      }
    }
    from = to + 1
  }
  return { name, data, events }
}

const brace = 0x7b
