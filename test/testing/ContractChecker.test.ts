import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { SidecarFrame } from "../../src/protocol/Frame.ts"
import { check, type Violation } from "../../src/testing/ContractChecker.ts"
import { fresh, type Name, nameOf } from "./edits.ts"
import { extensions, type Recording, recordings } from "./recordings.ts"
import { breachesOfSteps } from "./stepBreaches.ts"
import { breachesOfTurns } from "./turnBreaches.ts"

const names = Object.keys(recordings) as Array<Name>
const played = new Map<Name, Promise<Recording>>()

/** Each recording is made once. */
const recorded = (name: Name): Effect.Effect<Recording> =>
  Effect.promise(() => {
    const known = played.get(name) ?? Effect.runPromise(recordings[name])
    played.set(name, known)
    return known
  })

const rulesOf = (violations: ReadonlyArray<Violation>) => violations.map(({ rule }) => rule)

const judge = ({ requests }: Recording, frames: ReadonlyArray<SidecarFrame>) => check(frames, { requests, ended: true })

/** The names of the places where a mutation of every recording goes unnoticed. */
const unnoticed = (mutate: (recording: Recording, at: number) => readonly [string, ReadonlyArray<SidecarFrame>]) =>
  Effect.gen(function* () {
    const missed = new Set<string>()
    for (const name of names) {
      const recording = yield* recorded(name)
      for (const at of recording.frames.keys()) {
        const [what, frames] = mutate(recording, at)
        if (judge(recording, frames).length === 0) missed.add(what)
      }
    }
    return [...missed].toSorted()
  })

describe("the checker of the contract", () => {
  it.effect.each(names)("finds nothing wrong with a good run: %s", (name) =>
    Effect.gen(function* () {
      const recording = yield* recorded(name)
      assert.deepStrictEqual(judge(recording, recording.frames), [])
      assert.deepStrictEqual(check(recording.frames), [])
    })
  )

  it.effect.each(names)("finds nothing wrong with the beginning of a good run: %s", (name) =>
    Effect.gen(function* () {
      const { frames, requests } = yield* recorded(name)
      for (const count of frames.keys()) assert.deepStrictEqual(check(frames.slice(0, count), { requests }), [])
    })
  )

  it.effect("finds an event of one session under the name of another", () =>
    Effect.gen(function* () {
      const recording = yield* recorded("sideBySide")
      const ids = recording.frames.flatMap((frame) =>
        frame.kind === "event" && frame.type === "session_started" ? [frame.payload.sessionId] : []
      )
      assert.lengthOf(ids, 2)
      for (const [at, frame] of recording.frames.entries()) {
        if (frame.kind !== "event" || !("turnId" in frame.payload) || frame.type === "log") continue
        const sessionId = ids.find((id) => id !== Reflect.get(frame.payload, "sessionId"))
        const moved = { ...frame, payload: { ...frame.payload, sessionId } } as SidecarFrame
        assert.isNotEmpty(judge(recording, recording.frames.toSpliced(at, 1, moved)), `${frame.type}, ${at}`)
      }
    })
  )

  it.effect("tells a second response to a request, though it does not know what was sent", () =>
    Effect.gen(function* () {
      const { frames } = yield* recorded("reply")
      const response = frames.find((frame) => frame.kind === "response")!
      assert.include(rulesOf(check([...frames, fresh(response)])), "a second response to request r0")
    })
  )

  it.effect("does not ask for what a second hello has taken away for a while", () =>
    Effect.gen(function* () {
      const recording = yield* recorded("work")
      const named = recording.frames.map((frame) => nameOf(recording, frame))
      const resolved = named.indexOf("approval_resolved")
      const hello = (name: string, extensions: ReadonlyArray<string>) => ({
        ...(recording.frames[named.indexOf("→ hello")] as SidecarFrame & { readonly payload: object }),
        id: name,
        correlationId: name,
        payload: { extensions, limits: {} }
      })
      const [off, on] = [
        hello("off", ["llm_progress", "queue"]),
        hello("on", extensions)
      ] as ReadonlyArray<SidecarFrame>
      const frames = recording.frames.toSpliced(resolved, 1, off!, on!)
      const requests = [...recording.requests, { id: "off", type: "hello" }, { id: "on", type: "hello" }]
      assert.deepStrictEqual(check(frames, { requests, ended: true }), [])
    })
  )

  it.effect("lets figures stand anywhere in their turn, and nowhere after it", () =>
    Effect.gen(function* () {
      const recording = yield* recorded("reply")
      const { frames } = recording
      const named = frames.map((frame) => nameOf(recording, frame))
      const [from, to] = [named.indexOf("turn_started"), named.indexOf("→ send_message")]
      const started = frames[from]! as SidecarFrame & { readonly payload: object }
      const metric = {
        ...started,
        id: "m",
        type: "metric",
        payload: { ...started.payload, name: "x", value: 1 }
      } as SidecarFrame
      for (let at = from + 1; at <= to; at++)
        assert.deepStrictEqual(judge(recording, frames.toSpliced(at, 0, metric)), [])
      assert.lengthOf(judge(recording, frames.toSpliced(to + 1, 0, metric)), 1)
    })
  )

  it.effect("misses a frame that is lost only where nothing else depends on it", () =>
    Effect.gen(function* () {
      const missed = yield* unnoticed((recording, at) => [
        nameOf(recording, recording.frames[at]!),
        recording.frames.toSpliced(at, 1)
      ])
      // A delta counts only where a reply repeats it, and a bad line leaves no other trace than its error.
      assert.deepStrictEqual(missed, [
        "assistant_delta",
        "error",
        "llm_progress",
        "llm_state",
        "reasoning_delta",
        "turn_queued"
      ])
    })
  )

  it.effect("misses a frame that came twice only where it might", () =>
    Effect.gen(function* () {
      const missed = yield* unnoticed((recording, at) => {
        const frame = recording.frames[at]!
        return [nameOf(recording, frame), recording.frames.toSpliced(at + 1, 0, fresh(frame))]
      })
      assert.deepStrictEqual(missed, ["assistant_delta", "error", "llm_progress", "llm_state", "reasoning_delta"])
    })
  )

  it.effect("misses two neighbours that changed places only where either order is good", () =>
    Effect.gen(function* () {
      const missed = yield* unnoticed((recording, at) => {
        const { frames } = recording
        const [one, two] = [frames[at], frames[at + 1]]
        if (one === undefined || two === undefined) return ["the end", []]
        // What two sessions do has no order.
        if (recording.requests.some(({ type }) => type === "close_session")) return ["the end", []]
        return [`${nameOf(recording, one)}, ${nameOf(recording, two)}`, frames.toSpliced(at, 2, two, one)]
      })
      assert.deepStrictEqual(missed, eitherOrder)
    })
  )
})

/** Two answers that do not wait for each other, or what streams as it comes. */
const eitherOrder = [
  "approval_request, → steer_message",
  "approval_resolved, → approval_response",
  "assistant_delta, llm_request",
  "error, turn_queued",
  "llm_progress, assistant_delta",
  "llm_progress, llm_progress",
  "llm_state, → start_session",
  "reasoning_delta, assistant_delta",
  "session_started, llm_state",
  "step_started, turn_queued",
  "step_started, → steer_message",
  "tool_call_result, tool_call_result",
  "turn_queued, → send_message",
  "→ approval_response, tool_call_result",
  "→ cancel, user_message",
  "→ hello, session_started",
  "→ no_such_request failed, error",
  "→ resume_session, turn_queued",
  "→ send_message, → cancel",
  "→ send_message, → fork_session",
  "→ send_message, → send_message",
  "→ send_message, → unqueue",
  "→ start_session, turn_queued",
  "→ steer_message, approval_resolved",
  "→ steer_message, llm_request",
  "→ unqueue, assistant_delta"
]

describe("the checker names", () => {
  it.effect.each([...breachesOfTurns, ...breachesOfSteps])("%s", ([, of, edit, rule]) =>
    Effect.gen(function* () {
      const recording = yield* recorded(of)
      const rules = rulesOf(judge(recording, edit(recording)))
      assert.isTrue(
        rules.some((each) => rule.test(each)),
        `${rule} is not among ${JSON.stringify(rules)}`
      )
    })
  )
})
