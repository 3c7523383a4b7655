import { parseArgs } from "node:util"

export interface LiveOptions {
  readonly mode: "live"
  readonly workingDir: string
  /** What the scripted model plays. */
  readonly script: string | undefined
  /** Where the model's server answers. */
  readonly url: string | undefined
  readonly record: string | undefined
  readonly port: number
}

export interface RecordedOptions {
  readonly mode: "recorded"
  readonly file: string
  readonly port: number
}

export const usage = `npm run inspect -- [FOLDER] [--script FILE | --url URL] [--record FILE] [--port N]
npm run inspect -- --replay FILE [--port N]

  FOLDER          the working directory of the session; by default the current one
  --script FILE   play this script in place of a model
  --url URL       use the model's server at this address
  --record FILE   write every frame, in both directions, to this file
  --replay FILE   show a recorded conversation: such a file, or bare frames, one a line
  --port N        listen on this port of 127.0.0.1; by default any`

/** What a command line asks for, or what is wrong with it. */
export const readOptions = (args: ReadonlyArray<string>): LiveOptions | RecordedOptions | string => {
  let parsed
  try {
    parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        script: { type: "string" },
        url: { type: "string" },
        record: { type: "string" },
        replay: { type: "string" },
        port: { type: "string", default: "0" }
      }
    })
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  const { positionals, values } = parsed
  const port = Number(values.port)
  if (!/^\d+$/.test(values.port) || port > 65535) return `--port ${values.port}: expected a number up to 65535`
  if (positionals.length > 1) return `one folder, not ${positionals.length}`
  if (values.replay !== undefined) {
    const alone = positionals.length === 0 && (values.script ?? values.url ?? values.record) === undefined
    return alone ? { mode: "recorded", file: values.replay, port } : "--replay stands alone"
  }
  if (values.script !== undefined && values.url !== undefined) return "either --script or --url"
  if (values.url !== undefined && !URL.canParse(values.url)) return `--url ${values.url}: expected an address`
  const { record, script, url } = values
  return { mode: "live", workingDir: positionals[0] ?? ".", script, url, record, port }
}
