/**
 * Writes the README's tables between their markers: `<!-- table: requests -->` … `<!-- /table -->`.
 * With `--check` it writes nothing, and exits 1 where a table is not what the schemas say.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { fillTables, tables } from "./schema/Tables.ts"

const file = Path.resolve(import.meta.dirname, "../README.md")
const text = Fs.readFileSync(file, "utf8")
const { text: filled, unknown, absent } = fillTables(text, tables())

if (unknown.length > 0) fail(`no table is named ${unknown.join(", ")}; there are ${Object.keys(tables()).join(", ")}`)
else if (absent.length > 0) fail(`no place for the tables ${absent.join(", ")}`)
else if (filled !== text) {
  if (process.argv.includes("--check")) fail("the tables are not what the schemas say; npm run tables writes them")
  else Fs.writeFileSync(file, filled)
}

function fail(why: string) {
  console.error(`README.md: ${why}`)
  process.exitCode = 1
}
