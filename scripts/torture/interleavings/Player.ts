import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import type { ModelToolCall } from "../../../src/llama/LlamaClient.ts"
import { Cut, LlamaError } from "../../../src/llama/LlamaError.ts"
import { Refused } from "../../../src/files/Refused.ts"
import { turn } from "../../../src/testing/EventLoop.ts"
import { toolCall } from "../../../src/testing/GatedModel.ts"
import type { Run } from "../runs/HostRun.ts"
import { RandomHost } from "../runs/RandomHost.ts"
import type { Act, Call, Gap, Plan } from "./Plan.ts"
import { instantFiles } from "./InstantFiles.ts"
import * as Stage from "./Stage.ts"

/** What came of a plan. */
export interface Played extends Run {
  /** What was still missing when nothing was in its way any more. */
  readonly stuck: ReadonlyArray<string>
}

/** After so many turns of the event loop everything must have come to its end. */
const patience = 2000

const places = {
  workingDirs: { good: ".", relative: ".", missing: "/nonexistent", file: "package.json" },
  skills: "/skills"
}

/** Ends a call of a tool in each of the ways. */
const toolEnds = {
  finish: Effect.succeed({ text: "ok" }),
  fail: Effect.fail(new Refused({ detail: "it did not work" })),
  die: Effect.die(new Error("a bug in a tool"))
}

/** Lines that are no request, and requests that are refused. */
const badLines = ["null", "{oops", `{"kind":"request","id":1,"type":"ping"}`, "[1]", "x"]
const badRequests = [
  { type: "no_such_request", payload: {} },
  { type: "send_message", payload: { sessionId: "s-nobody", text: 7 } },
  { type: "run_step", payload: {} }
]

/** Plays a plan, then lets all that is open end, sends one more message, and ends the input. */
export const play = (plan: Plan): Effect.Effect<Played> =>
  Effect.gen(function* () {
    yield* instantFiles
    const stage = yield* Stage.make(plan)
    const { stdio } = stage.host
    const host = new RandomHost({
      frames: stage.host.frames,
      write: (line) => stdio.write(`${line}\n`),
      places
    })
    const stuck: Array<string> = []
    let cancelsMayTimeOut = false
    let words = 0
    const text = () => `word ${words++} `

    const wait = (gap: Gap): Effect.Effect<void> => {
      switch (gap.wait) {
        case "nothing":
          return Effect.void
        case "microtasks":
          return Effect.promise(async () => {
            for (let turn = 0; turn < gap.count; turn++) await undefined
          })
        case "turns":
          return Effect.repeat(turn, { times: gap.count - 1 })
      }
    }

    const called = (call: Call): ModelToolCall => {
      const value = words++
      switch (call) {
        case "read":
        case "write":
        case "odd":
          return toolCall(call, { value })
        case "finish":
          return toolCall("finish", { summary: `summary ${value}` })
        case "unusable":
          return { name: "read", args: { _tag: "Unusable", raw: "{", why: "cut off" } }
        case "unknown":
          return toolCall("nothing")
      }
    }

    const bad = (which: number): void => {
      const request = badRequests[which]
      if (request !== undefined) return void host.post(request.type, request.payload)
      if (!host.mayBeUnread && !host.isClosed) host.postBadLine(badLines[which - badRequests.length] ?? "x")
    }

    const act = (act: Act): Effect.Effect<void> | void => {
      const call = stage.calls.at(-1)
      switch (act.do) {
        case "time":
          if (act.ms >= 2000) cancelsMayTimeOut = true
          // The clock lets everyone take a turn.
          if (host.isEnding) host.mayBeUnread = true
          return TestClock.adjust(act.ms)
        case "hostPauses":
          return stdio.reading.close
        case "hostReads":
          return stdio.reading.open
        case "end":
          if (act.how === "shutdown") return void host.post("shutdown")
          host.close()
          return stdio.end
        case "bad":
          return bad(act.which)
        case "say":
          return call?.say(text())
        case "think":
          return call?.think("hm ")
        case "prefill":
          return call?.emit({ _tag: "Prefill", processed: 1, total: 2, cached: 0 })
        case "reply":
          return call?.answer(text())
        case "fail":
          return call?.fail(new LlamaError({ reason: new Cut({ detail: "cut off" }) }))
        case "die":
          return call?.die(new TypeError("a bug in the client"))
        case "calls":
          if (act.withText) call?.say(text())
          return call?.finish(act.calls.map(called))
        case "tool":
          return stage.runs.filter(({ isOver }) => !isOver)[act.which]?.end(toolEnds[act.how])
        default:
          return host.act(act)
      }
    }

    const settle = Effect.gen(function* () {
      yield* stdio.reading.open
      for (let look = 0; look < patience; look++) {
        yield* turn
        for (const call of stage.calls) call.answer("done")
        for (const run of stage.runs) run.end(toolEnds.finish)
        host.approveAll()
        if (host.unanswered.length === 0) return
      }
      stuck.push(...host.unanswered.map(({ id, type }) => `no response to ${type} ${id}`))
    })

    host.post("hello", { extensions: plan.extensions })
    host.post("start_session", { workingDir: "." })
    yield* wait({ wait: "turns", count: 2 })
    for (const step of plan.steps) {
      yield* act(step.act) ?? Effect.void
      yield* wait(step.gap)
      if (host.isEnding && step.gap.wait === "turns") host.mayBeUnread = true
    }
    yield* settle
    if (!host.isEnding && stuck.length === 0) {
      host.ensureSession()
      yield* settle
      host.sendLast()
      yield* settle
      host.askStates()
      yield* settle
    }
    yield* stdio.end
    const givesUp = Effect.map(Effect.repeat(turn, { times: patience }), () => stuck.push("it did not end"))
    yield* Effect.raceFirst(stage.host.ended, givesUp)
    const { badLines: badCount, posted } = host
    const hasStoreFailed = plan.writes.some((write) => write !== "good")
    const { frames } = stage.host
    return { posted, frames, badLines: badCount, cancelsMayTimeOut, hasStoreFailed, stuck }
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()))
