/**
 * `npm run schema`: writes the JSON Schema of all frames to `docs/protocol.schema.json`, so that a change of the
 * wire is seen where it is made; the build puts the same into dist/. With `--check` it writes nothing, and exits 1 where
 * the file is not what the schemas say.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { definitions } from "./schema/Definitions.ts"
import { reference } from "./schema/JsonSchema.ts"

/** Draft 7: what the generators of Rust, Swift and Kotlin types read without asking back. */
export const protocolSchema = (): string =>
  `${JSON.stringify(
    {
      $schema: "http://json-schema.org/draft-07/schema#",
      title: "Any frame of the sidecar protocol",
      anyOf: ["HostRequest", "SidecarEvent", "SidecarResponse"].map(reference),
      definitions: definitions()
    },
    null,
    2
  )}\n`

/** Where a file is not what the schemas say: its first such line. */
export const staleness = (text: string, current: string = protocolSchema()): string | undefined => {
  if (text === current) return undefined
  const [lines, due] = [text.split("\n"), current.split("\n")]
  const differs = due.findIndex((line, index) => line !== lines[index])
  const at = differs === -1 ? due.length : differs
  const shown = (line: string | undefined) => (line === undefined ? "absent" : line.trim())
  return `line ${at + 1} is ${shown(lines[at])}, and the schemas say ${shown(due[at])}`
}

if (import.meta.main) {
  const file = Path.resolve(import.meta.dirname, "../docs/protocol.schema.json")
  if (!process.argv.includes("--check")) Fs.writeFileSync(file, protocolSchema())
  else {
    const stale = staleness(Fs.existsSync(file) ? Fs.readFileSync(file, "utf8") : "")
    if (stale !== undefined) {
      console.error(`docs/protocol.schema.json: ${stale}; npm run schema writes it`)
      process.exitCode = 1
    }
  }
}
