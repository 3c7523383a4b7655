/**
 * `npm run templates -- [--server PATH] [--model FILE] [--templates DIR] [--only A,B]`: plays every kind of history through the
 * real bin, against a real llama-server with one chat template after the other. `scripts/templates/reasons.json` says what
 * a template cannot do by itself. Exits with 1 if another one refuses a history, with 69 if there is no server.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as RealLlamaServer from "../src/testing/RealLlamaServer.ts"
import { given, text } from "./Arguments.ts"
import reasons from "./templates/reasons.json" with { type: "json" }
import { judge } from "./templates/Judge.ts"
import { rowOf, summaryOf } from "./templates/Table.ts"

const { options } = given({ server: text, model: text, templates: text, only: text })
const server = RealLlamaServer.find(Path.resolve(import.meta.dirname, ".."), options)
if (typeof server === "string") {
  console.error(`${server}, or --server`)
  process.exit(69)
}
if (!Fs.existsSync(server.templates)) {
  console.error(`no chat templates at ${server.templates}: --templates names a folder`)
  process.exit(69)
}

const names = Fs.readdirSync(server.templates)
  .filter((name) => name.endsWith(".jinja") && (options.only?.split(",") ?? [""]).some((part) => name.includes(part)))
  .toSorted()
const rows = new Map<string, Awaited<ReturnType<typeof judge>>>()
const waiting = [...names]

const work = async () => {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const verdicts = await judge(server, Path.join(server.templates, name))
    rows.set(name, verdicts)
    console.log(rowOf(name, verdicts, (reasons as { readonly [name: string]: string })[name]))
  }
}

/** One server for each of the two cores that every machine has. */
await Promise.all([work(), work()])

const { line, isGood } = summaryOf(rows, reasons)
console.log(`\n${line}`)
process.exit(isGood ? 0 : 1)
