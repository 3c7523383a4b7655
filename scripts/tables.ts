/**
 * `npm run tables`: writes what is made from the tables of the protocol and the tools. In Markdown that stands between markers
 * (`<!-- table: requests -->` … `<!-- /table -->`), in TypeScript below a line. With `--check` it writes nothing, and exits
 * 1 where a file is not current.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { protocolPage } from "./schema/ProtocolPage.ts"
import { eventExtensions, eventTypeNames, requestTypeNames, withEnd } from "./schema/Sources.ts"
import { filled, tables } from "./schema/Tables.ts"
import { toolTable } from "./schema/ToolTable.ts"

/** Each file, and how its text is brought up to date. Throws where the file has no place for it. */
export const written: Readonly<Record<string, (text: string) => string>> = {
  "README.md": (text) => filled(text, tables()),
  "docs/runtime.md": (text) => filled(text, { tools: toolTable() }),
  "docs/protocol.md": (text) => filled(text, protocolPage()),
  "src/protocol/Event.ts": (text) => withEnd(text, eventTypeNames()),
  "src/protocol/EventTypes.ts": (text) => withEnd(text, eventExtensions()),
  "src/protocol/Request.ts": (text) => withEnd(text, requestTypeNames())
}

if (import.meta.main) {
  const isCheck = process.argv.includes("--check")
  for (const [path, update] of Object.entries(written)) {
    const file = Path.resolve(import.meta.dirname, "..", path)
    const text = Fs.readFileSync(file, "utf8")
    try {
      const current = update(text)
      if (current === text) continue
      if (isCheck) throw new Error("not what the sources say; npm run tables writes it")
      Fs.writeFileSync(file, current)
    } catch (error) {
      console.error(`${path}: ${error instanceof Error ? error.message : String(error)}`)
      process.exitCode = 1
    }
  }
}
