import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { Cut, LlamaError } from "../../src/llama/LlamaError.ts"
import type { ModelToolCall } from "../../src/llama/LlamaClient.ts"
import type { SidecarFrame } from "../../src/protocol/Frame.ts"
import type { SentRequest } from "../../src/testing/ContractChecker.ts"
import type { Act, Gap, Plan, Whom, Wish } from "./Acts.ts"
import { gap } from "./Gaps.ts"
import { toolEnds } from "./ToolEnds.ts"
import { quickFiles } from "./QuickFiles.ts"
import { answeredIn, approvalsIn, queuedIn, sessionsIn } from "./Seen.ts"
import * as Stage from "./Stage.ts"

/** A request with all that the host knew of it. */
export interface Posted extends SentRequest {
  readonly payload: { readonly [key: string]: unknown }
  /** How many frames had been read when it was written. */
  readonly at: number
  /** It came after a `shutdown`. */
  readonly isLate: boolean
  /** It may have come when nobody read any more, and the host could not know: it need not be answered. */
  readonly isLost: boolean
}

/** What came of a plan. */
export interface Played {
  readonly posted: ReadonlyArray<Posted>
  readonly frames: ReadonlyArray<SidecarFrame>
  /** Lines that were no request at all: each must have got an `error` event. */
  readonly badLines: number
  /** Time passed by two seconds or more at once: a cancel may have been answered before its work was done. */
  readonly hasTimePassed: boolean
  readonly hasStoreFailed: boolean
  /** What was still missing when all was said and done; nothing, if all went well. */
  readonly stuck: ReadonlyArray<string>
}

/** Looked at this often, everything must have come to its end. */
const patience = 2000

/** Plays a plan, then answers everything that is open, sends one more message, and ends the input. */
export const play = (plan: Plan): Effect.Effect<Played> =>
  Effect.gen(function* () {
    yield* quickFiles
    const stage = yield* Stage.make(plan)
    const player = new Player(stage)
    player.post("hello", { extensions: plan.extensions })
    player.post("start_session", { workingDir: "." })
    yield* gap({ wait: "turns", count: 2 })
    for (const { act, gap: after } of plan.acts) {
      yield* player.act(act)
      yield* gap(after)
      player.hasWaited(after)
    }
    yield* player.settle
    if (!player.isEnded && player.stuck.length === 0) yield* player.goOn
    yield* stage.host.stdio.end
    yield* Effect.raceFirst(stage.host.ended, player.givesUp)
    const { badLines, frames, hasTimePassed, posted, stuck } = player
    const hasStoreFailed = plan.writes.some((write) => write !== "good")
    return { posted, frames, badLines, hasTimePassed, hasStoreFailed, stuck }
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()))

class Player {
  readonly posted: Array<Posted> = []
  readonly stuck: Array<string> = []
  badLines = 0
  hasTimePassed = false
  isEnded = false
  readonly #stage: Stage.Stage
  readonly #answered = new Set<string>()
  #texts = 0
  #isInputEnded = false
  #turnsSinceEnd = 0
  #shutdown: string | undefined

  constructor(stage: Stage.Stage) {
    this.#stage = stage
  }

  get frames(): ReadonlyArray<SidecarFrame> {
    return this.#stage.host.frames
  }

  post(type: string, payload: { readonly [key: string]: unknown } = {}): void {
    if (this.#isOver()) return
    const { host } = this.#stage
    void host.post(type, payload)
    const { id } = host.requests.at(-1)!
    this.posted.push({
      id,
      type,
      payload,
      at: host.frames.length,
      isLate: this.isEnded,
      isLost: this.#turnsSinceEnd > 0
    })
  }

  hasWaited({ wait }: Gap): void {
    if (this.isEnded && wait === "turns") this.#turnsSinceEnd++
  }

  act(act: Act): Effect.Effect<void, never, Scope.Scope> {
    switch (act.do) {
      case "time":
        if (act.ms >= 2000) this.hasTimePassed = true
        // The clock lets everyone take a turn.
        this.hasWaited({ wait: "turns", count: 1 })
        return TestClock.adjust(act.ms)
      case "hostPauses":
        return this.#stage.host.stdio.reading.close
      case "hostReads":
        return this.#stage.host.stdio.reading.open
      case "end":
        return this.#end(act.how)
      default:
        return Effect.sync(() => this.#do(act))
    }
  }

  /** Lets all that is open come to its end. */
  readonly settle: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    yield* this.#stage.host.stdio.reading.open
    for (let look = 0; look < patience; look++) {
      yield* Stage.quiet
      for (const call of this.#stage.calls) call.answer("done")
      for (const run of this.#stage.runs) run.end(Effect.succeed({ text: "done" }))
      for (const id of this.#openApprovals()) this.post("approval_response", { approvalId: id, approved: true })
      if (this.#missing().length === 0) return
    }
    this.stuck.push(...this.#missing())
  })

  /** The next message works as if nothing had been. */
  readonly goOn: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    if (sessionsIn(this.frames).length === 0) this.post("start_session", { workingDir: "." })
    yield* this.settle
    this.post("send_message", { sessionId: this.#whom("active"), text: "the last one" })
    yield* this.settle
    for (const sessionId of new Set(sessionsIn(this.frames))) this.post("get_session", { sessionId })
    yield* this.settle
  })

  readonly givesUp: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    for (let look = 0; look < patience; look++) yield* Stage.quiet
    this.stuck.push("the sidecar did not end")
  })

  #do(act: Exclude<Act, { do: "time" | "hostPauses" | "hostReads" | "end" }>): void {
    const call = this.#stage.calls.at(-1)
    switch (act.do) {
      case "send": {
        const maxSteps = act.maxSteps === null ? {} : { maxSteps: act.maxSteps }
        return this.post("send_message", { sessionId: this.#whom(act.to), text: this.#text(), ...maxSteps })
      }
      case "steer":
        return this.post("steer_message", { sessionId: this.#whom(act.to), text: act.isBlank ? " " : this.#text() })
      case "cancel":
        return this.post("cancel", { sessionId: this.#whom(act.to) })
      case "state":
        return this.post("get_session", { sessionId: this.#whom(act.to) })
      case "queue":
        return this.post("list_queue", { sessionId: this.#whom(act.to) })
      case "delete":
        return this.post("delete_session", { sessionId: this.#whom(act.to) })
      case "unqueue":
        return this.post("unqueue", { sessionId: this.#whom("active"), turnId: this.#queued(act.which) })
      case "approve":
        return this.post("approval_response", { approvalId: this.#approval(act.which), approved: act.approved })
      case "start":
        return this.post("start_session", { workingDir: act.isGood ? "." : "package.json" })
      case "resume":
        return this.post("resume_session", { sessionId: this.#whom(act.to) })
      case "hello":
        return this.post("hello", { extensions: act.extensions })
      case "ping":
        return this.post("ping")
      case "list":
        return this.post("list_sessions")
      case "skills":
        return this.post("skill_list")
      case "install":
        return this.post("skill_install", { sourcePath: "skill" })
      case "uninstall":
        return this.post("skill_uninstall", { name: "skill" })
      case "bad":
        return this.#bad(act.which)
      case "say":
        return call?.say(`${this.#text()} `)
      case "think":
        return call?.think("hm ")
      case "prefill":
        return call?.emit({ _tag: "Prefill", processed: 1, total: 2, cached: 0 })
      case "answer":
        return call?.answer(this.#text())
      case "fail":
        return call?.fail(new LlamaError({ reason: new Cut({ detail: "cut off" }) }))
      case "die":
        return call?.die(new TypeError("a bug in the client"))
      case "calls":
        if (act.withText) call?.say(this.#text())
        return call?.finish(act.wishes.map((wish) => this.#wished(wish)))
      case "tool":
        return this.#stage.runs.filter(({ isOver }) => !isOver)[act.which]?.end(toolEnds[act.how])
    }
  }

  #end(how: "shutdown" | "input"): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (how === "shutdown") {
        this.post("shutdown")
        this.#shutdown ??= this.posted.at(-1)?.id
        this.isEnded = true
        return Effect.void
      }
      this.isEnded = true
      this.#isInputEnded = true
      return this.#stage.host.stdio.end
    })
  }

  #bad(which: number): void {
    const { host } = this.#stage
    switch (which) {
      case 0:
        return this.post("no_such_request")
      case 1:
        return this.post("send_message", { sessionId: this.#whom("active"), text: 7 })
      case 2:
        return this.post("run_step")
      default:
        if (this.#isOver() || this.#turnsSinceEnd > 0) return
        this.badLines++
        return host.write(
          ["null\n", "{oops\n", `{"kind":"request","id":1,"type":"ping"}\n`, "[1]\n", "x\n"][which - 3] ?? "x\n"
        )
    }
  }

  #wished(wish: Wish): ModelToolCall {
    const value = this.#texts++
    switch (wish) {
      case "read":
      case "write":
      case "odd":
        return { name: wish, args: { _tag: "Parsed", value: { value } } }
      case "finish":
        return { name: "finish", args: { _tag: "Parsed", value: { summary: `summary ${value}` } } }
      case "unusable":
        return { name: "read", args: { _tag: "Unusable", raw: "{", why: "cut off" } }
      case "unknown":
        return { name: "nothing", args: { _tag: "Parsed", value: {} } }
    }
  }

  #text(): string {
    return `text ${this.#texts++}`
  }

  #whom(whom: Whom): string {
    const sessions = sessionsIn(this.frames)
    const found = whom === "active" ? sessions.at(-1) : whom === "old" ? sessions.at(-2) : undefined
    return found ?? "s-nobody"
  }

  #queued(which: number): string {
    return queuedIn(this.frames).at(-1 - which) ?? "t-nobody"
  }

  #approval(which: number): string {
    const approvalId = approvalsIn(this.frames).at(-1 - which) ?? "a-nobody"
    this.#answered.add(approvalId)
    return approvalId
  }

  #openApprovals(): ReadonlyArray<string> {
    const open = approvalsIn(this.frames).filter((id) => !this.#answered.has(id))
    for (const id of open) this.#answered.add(id)
    return open
  }

  /** Nobody reads any more: the input has ended, or the host has read the response to its `shutdown`. */
  #isOver(): boolean {
    return (
      this.#isInputEnded ||
      this.frames.some((frame) => frame.kind === "response" && frame.correlationId === this.#shutdown)
    )
  }

  /** The requests that have no response. */
  #missing(): ReadonlyArray<string> {
    const answered = new Set(answeredIn(this.frames))
    return this.posted.flatMap(({ id, isLost, type }) =>
      answered.has(id) || isLost ? [] : [`no response to ${type} ${id}`]
    )
  }
}
