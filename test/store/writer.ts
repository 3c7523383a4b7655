import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { SessionId } from "../../src/protocol/Ids.ts"
import { SessionStore } from "../../src/store/SessionStore.ts"
import { head, said } from "./sessions.ts"

/** A process that commits numbered entries to a session and writes each number to stdout once it is committed. */
const [filename = "", name = "", first = "", count = ""] = process.argv.slice(2)
const toStderr = Logger.make(({ message }) => process.stderr.write(`${[message].flat().join(" ")}\n`))
const session = head({ id: SessionId.make(name), status: "running" })

await Effect.gen(function* () {
  const store = Context.get(yield* Layer.build(SessionStore.layerFile(filename)), SessionStore)
  for (let n = Number(first); n < Number(first) + Number(count); n++) {
    yield* store.commit(session, [said(String(n))])
    process.stdout.write(`${n}\n`)
  }
}).pipe(Effect.scoped, Effect.provide(Logger.layer([toStderr])), Effect.runPromise)
