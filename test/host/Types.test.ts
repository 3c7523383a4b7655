import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { root, StateDir } from "../support/Bin.ts"
import { checkTypes } from "../support/Types.ts"

/** A host that names every kind of type of `./host`. */
const consumer = `
import {
  type Approval, type ApprovalRequest, type AttachOptions, BinNotFound, type EventFrame, EventsLost, type EventPayload,
  type EventType, type Extension, type HelloResult, type HostOptions, type HostRequest, type OnApproval,
  type RequestArguments, RequestFailed, type RequestPayload, type RequestType, type ResponsePayload,
  type SendMessagePayload, type SendMessageResult, type SendOptions, type SentTurn, type SessionState,
  type SessionStartedEvent, type ShutdownOptions, type SidecarEvent, type SidecarExit, type SidecarFrame, SidecarGone,
  SidecarHost, type SidecarResponse, type SpawnOptions, type TurnPiece, type TurnReason, type TurnResult
} from "atomic-agent-sidecar/host"

export type Named = [
  Approval, AttachOptions, EventFrame<EventType>, Extension, HelloResult, HostOptions, HostRequest,
  RequestArguments<RequestType>, RequestPayload<RequestType>, ResponsePayload<RequestType>, SendMessagePayload,
  SendMessageResult, SendOptions, SessionStartedEvent, ShutdownOptions, SidecarFrame, SidecarResponse, SpawnOptions
]

const onApproval: OnApproval = ({ category, tool }: ApprovalRequest) => ({ approved: category === "http", reason: tool })
const host = SidecarHost.spawn({ bin: "main.js", onApproval })
const show = (event: SidecarEvent): string => (event.type === "assistant_delta" ? event.payload.text : event.type)
host.onEvent(show)
host.on("turn_finished", ({ reason }: EventPayload<"turn_finished">) => reason satisfies TurnReason)
await host.request("ping")
// @ts-expect-error the payload is missing
await host.request("start_session")
const { sessionId } = await host.request("start_session", { workingDir: "." })
const state: SessionState | null = await host.request("get_session", { sessionId })
for (const record of state?.turns ?? []) if (record.kind === "user") console.log(record.text.length)
const turn: SentTurn = host.send(sessionId, "hello")
for await (const piece of turn) console.log((piece satisfies TurnPiece).text)
const { failure }: TurnResult = await turn.result
console.log(failure?.category === "transport")
const exit: SidecarExit = await host.shutdown()
console.log(exit.signal === "SIGTERM")
export const kinds = [BinNotFound, EventsLost, RequestFailed, SidecarGone].map((error) => error.name)
`

describe("the types of ./host", () => {
  it.each([{ module: "nodenext" }, { module: "esnext", moduleResolution: "bundler" }])(
    "are all that a host needs to compile, with %o",
    (options) => {
      using dir = new StateDir()
      const file = (path: string) => Path.join(dir.path, path)
      const installed = file("node_modules/atomic-agent-sidecar")
      const isType = (path: string) => !path.includes(".") || path.endsWith(".d.ts")
      Fs.cpSync(Path.join(root, "dist"), Path.join(installed, "dist"), {
        recursive: true,
        filter: (path) => isType(Path.basename(path))
      })
      Fs.copyFileSync(Path.join(root, "package.json"), Path.join(installed, "package.json"))
      Fs.mkdirSync(file("node_modules/@types"))
      Fs.symlinkSync(Path.join(root, "node_modules/@types/node"), file("node_modules/@types/node"), "junction")
      Fs.writeFileSync(file("package.json"), `{ "type": "module" }`)
      Fs.writeFileSync(file("host.ts"), consumer)
      const { errors, files } = checkTypes(file("host.ts"), { skipLibCheck: false, ...options })
      assert.deepStrictEqual(errors, [])
      const ours = files.filter((path) => path.includes("atomic-agent-sidecar"))
      assert.isAbove(ours.length, 3)
      const ofEffect = ours.filter((path) => /effect/i.test(Fs.readFileSync(path, "utf8")))
      assert.deepStrictEqual(ofEffect, [])
    }
  )

  it("are the same as the protocol's schemas have", () => {
    using dir = new StateDir()
    const file = Path.join(dir.path, "equal.ts")
    Fs.writeFileSync(
      file,
      `
import type * as Built from ${JSON.stringify(Path.join(root, "dist/host/SidecarHost.d.ts"))}
import type * as Source from ${JSON.stringify(Path.join(root, "src/host/SidecarHost.ts"))}

type Same<A, B> = (<G>() => G extends A ? 1 : 2) extends <G>() => G extends B ? 1 : 2 ? true : false
type Events = { [T in Source.EventType]: Same<Source.EventFrame<T>, Built.EventFrame<T>> extends true ? never : T }
type Requests = { [T in Source.RequestType]: Same<Source.RequestPayload<T>, Built.RequestPayload<T>> extends true ? never : T }
type Responses = { [T in Source.RequestType]: Same<Source.ResponsePayload<T>, Built.ResponsePayload<T>> extends true ? never : T }

declare const different: [Events[Source.EventType], Requests[Source.RequestType], Responses[Source.RequestType]]
export const none: [never, never, never] = different
export const types: Same<[Source.EventType, Source.RequestType], [Built.EventType, Built.RequestType]> = true
export const codes: Same<Source.ResponseErrorCode, Built.ResponseErrorCode> = true
declare const response: Source.SidecarResponse
export const responses: Built.SidecarResponse = response
`
    )
    const { errors } = checkTypes(file, {
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      typeRoots: [Path.join(root, "node_modules/@types")],
      target: "es2024"
    })
    assert.deepStrictEqual(errors, [])
  })
})
