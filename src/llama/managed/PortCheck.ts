import * as Effect from "effect/Effect"
import { managedHost } from "../../config/ManagedUrl.ts"

/** What neither accepts nor refuses within so many milliseconds is there, and busy. */
const patienceMs = 1000

/**
 * Whether anybody listens at a port of this machine. Asked before a server is started: some builds of llama-server share
 * a port with whoever has it, and then each gets half of the requests.
 */
export const isListening = (port: number): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const socket = process.getBuiltinModule("node:net").connect({ host: managedHost, port, timeout: patienceMs })
    const found = (is: boolean) => {
      socket.destroy()
      resume(Effect.succeed(is))
    }
    socket.once("connect", () => found(true))
    socket.once("timeout", () => found(true))
    socket.on("error", () => found(false))
    return Effect.sync(() => socket.destroy())
  })
