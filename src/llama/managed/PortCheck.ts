import * as Effect from "effect/Effect"
import { managedHost } from "../../config/ManagedUrl.ts"

/** A port that neither accepts nor refuses within this many milliseconds counts as in use. */
const timeoutMs = 1000

/**
 * True if a program listens at a port of this machine. Checked before the server is started: some builds of
 * llama-server share a port with the program that has it, and then each gets half of the requests.
 */
export const isListening = (port: number): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const socket = process.getBuiltinModule("node:net").connect({ host: managedHost, port, timeout: timeoutMs })
    const finish = (isUsed: boolean) => {
      socket.destroy()
      resume(Effect.succeed(isUsed))
    }
    socket.once("connect", () => finish(true))
    socket.once("timeout", () => finish(true))
    socket.on("error", () => finish(false))
    return Effect.sync(() => socket.destroy())
  })
