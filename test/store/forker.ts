import { StatementSync } from "node:sqlite"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SessionId } from "../../src/protocol/Ids.ts"
import { SessionStore } from "../../src/store/SessionStore.ts"

/**
 * A process that forks a session and kills itself as `kill -9` does, right after so many of the transaction's statements.
 * Where there are fewer, it writes what became of the fork to stdout.
 */
const [filename = "", from = "", to = "", killAfter = ""] = process.argv.slice(2)
let left = Infinity
const { all } = StatementSync.prototype

Reflect.set(StatementSync.prototype, "all", function (this: StatementSync, ...params: Parameters<typeof all>) {
  const rows = all.apply(this, params)
  if (--left === 0) process.kill(process.pid, "SIGKILL")
  return rows
})

await Effect.gen(function* () {
  const store = Context.get(yield* Layer.build(SessionStore.layerFile(filename)), SessionStore)
  left = Number(killAfter)
  const forked = yield* store.fork({ from: SessionId.make(from), to: SessionId.make(to), at: 1 })
  process.stdout.write(forked)
}).pipe(Effect.scoped, Effect.runPromise)
