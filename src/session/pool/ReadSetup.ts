import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import { wireName } from "../../domain/Transcript.ts"
import { resolveReal } from "../../files/RealPath.ts"
import { explain } from "../../protocol/Explain.ts"
import { GivenGrant, type Grant } from "../../protocol/Grant.ts"
import { HostTool } from "../../protocol/HostTool.ts"
import { SessionOptions } from "../../protocol/SessionOptions.ts"
import { compile } from "../../tools/ArgumentSchema.ts"
import type { Tool } from "../../tools/Tool.ts"
import type { HeldGrant } from "../grants/Covers.ts"
import type { HostTools } from "../HostTools.ts"
import type { SessionSetup } from "../SessionSetup.ts"
import { CannotStart } from "./CannotStart.ts"

/** The keys of extensions in the payload of `start_session` or `resume_session`; without those that are not granted. */
export interface SetupPayload {
  readonly options?: unknown
  readonly tools?: unknown
  readonly grants?: unknown
}

/** What the keys are read with. */
export interface Reader {
  /** The names of our own tools. */
  readonly toolNames: ReadonlyArray<string>
  readonly hostTools: HostTools["Service"]
}

/** Limits of the tools that a host gives (contract 9, `host_tools`). */
const maxTools = 128
const maxToolBytes = 256 * 1024

/** The most grants that a session begins with. */
const maxGrants = 1000

/** Reads the keys of extensions; what is wrong in one refuses the request, naming the place. */
export const readSetup = Effect.fnUntraced(function* (payload: SetupPayload, reader: Reader) {
  const key = <A>(name: keyof SetupPayload, schema: Schema.Codec<A, any>, absent: A, parseOptions = {}) => {
    const value = payload[name]
    if (value === undefined || value === null) return Effect.succeed(absent)
    const decoded = SchemaParser.decodeUnknownResult(schema)(value, parseOptions)
    return decoded._tag === "Success"
      ? Effect.succeed(decoded.success)
      : refused(explain(decoded.failure, value, `payload.${name}`))
  }
  const options = yield* key<SessionOptions>("options", SessionOptions, {})
  for (const [index, name] of (options.disabledTools ?? []).entries()) {
    if (reader.toolNames.some((tool) => wireName(tool) === wireName(name))) continue
    const got = JSON.stringify(name)
    return yield* refused(`payload.options.disabledTools[${index}]: expected the name of a tool, got ${got}`)
  }
  const described = yield* key<ReadonlyArray<HostTool>>("tools", Schema.Array(HostTool), [])
  const given = yield* key<ReadonlyArray<Grant>>("grants", Schema.Array(GivenGrant), [], strict)
  const setup: SessionSetup["Service"] = {
    options,
    tools: yield* readTools(described, reader),
    grants: yield* readGrants(given)
  }
  return setup
})

/** A key that we do not know could be meant to make a grant narrower. */
const strict = { onExcessProperty: "error" } as const

const readGrants = Effect.fnUntraced(function* (given: ReadonlyArray<Grant>) {
  if (given.length > maxGrants) {
    return yield* refused(`payload.grants: expected at most ${maxGrants} grants, got ${given.length}`)
  }
  const held: Array<HeldGrant> = []
  for (const [index, grant] of given.entries()) {
    const real = yield* Effect.promise(async () => ("path" in grant ? resolveReal(grant.path) : ""))
    // Resolved once: where a link leads later is not what was granted.
    if (real === undefined)
      return yield* refused(`payload.grants[${index}].path: expected a path that can be looked up`)
    held.push({ given: grant, real: "path" in grant ? { ...grant, path: real } : grant })
  }
  return held
})

const readTools = Effect.fnUntraced(function* (described: ReadonlyArray<HostTool>, { hostTools, toolNames }: Reader) {
  if (described.length > maxTools) {
    return yield* refused(`payload.tools: expected at most ${maxTools} tools, got ${described.length}`)
  }
  const bytes = Buffer.byteLength(JSON.stringify(described))
  if (bytes > maxToolBytes) {
    return yield* refused(`payload.tools: expected at most ${maxToolBytes} bytes, got ${bytes}`)
  }
  const tools: Array<Tool> = []
  for (const [index, each] of described.entries()) {
    const at = `payload.tools[${index}]`
    // Compared as the model sees them.
    const taken = [...toolNames, ...tools.map(({ name }) => name)].find(
      (name) => wireName(name) === wireName(each.name)
    )
    if (taken !== undefined) {
      return yield* refused(`${at}.name: expected a name that no other tool has, got ${each.name}: there is ${taken}`)
    }
    const parameters = yield* Effect.promise(() => compile(each.parameters))
    if (typeof parameters === "string") return yield* refused(`${at}.parameters${parameters}`)
    tools.push(hostTools.make(each, parameters))
  }
  return tools
})

const refused = (detail: string) => Effect.fail(new CannotStart({ detail }))
