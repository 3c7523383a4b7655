/** Prints the JSON Schema of all frames, as `npm run build` writes it to dist/protocol.schema.json. */
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

if (import.meta.main) process.stdout.write(protocolSchema())
