import { createServer, type Socket } from "node:net"
import * as NodeSink from "@effect/platform-node/NodeSink"
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Effect from "effect/Effect"
import { badArgument } from "effect/PlatformError"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import { Config, Lifeline, run, sessionServices } from "../../src/index.ts"

const onError = (cause: unknown) => badArgument({ module: "Socket", method: "io", cause })

const stdioOf = (socket: Socket) =>
  Stdio.make({
    args: Effect.succeed([]),
    stdin: NodeStream.fromReadable({ evaluate: () => socket, onError, closeOnDone: false }),
    stdout: () => NodeSink.fromWritable({ evaluate: () => socket, onError, endOnDone: false }),
    stderr: () => Sink.drain
  })

// Half-open: the answers to what was asked are still written when the host has said its last.
const server = createServer({ allowHalfOpen: true }, (socket) => {
  socket.on("error", () => {})
  run(sessionServices, { lifeline: Lifeline.layerInProcess }).pipe(
    Effect.provideService(Stdio.Stdio, stdioOf(socket)),
    Effect.provide(Config.layer),
    Effect.ensuring(Effect.sync(() => socket.resume().end())),
    Effect.runPromise
  )
})
server.listen(process.argv[2], () => process.stdout.write("listening\n"))
