import type { Figure } from "../Figure.ts"
import type { EventType } from "../../../src/protocol/Event.ts"
import { eventsOf } from "../runs/HostRun.ts"
import type { Lived } from "./Life.ts"

/** What there was, and how often. */
export class Counts {
  readonly #counts = new Map<string, number>()

  add(name: string, count = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + count)
  }

  most(name: string, value: number): void {
    this.#counts.set(name, Math.max(this.#counts.get(name) ?? 0, value))
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  live(lived: Lived): void {
    const { badLines, frames, plan, posted, tookMs, usedMs } = lived
    this.add("lives")
    this.add("frames", frames.length)
    this.add("requests", posted.length)
    this.add("bad lines", badLines)
    if (plan.settings.invalid !== undefined) return this.add("end: an invalid configuration")
    this.add(`end: ${plan.end}`)
    this.add(`writing: ${plan.writing}`)
    const count = (type: EventType) => eventsOf(frames, type).length
    if (plan.end.startsWith("SIGKILL") && count("turn_started") > count("turn_finished")) this.add("killed in a turn")
    if (plan.steps.length === 0) this.add("killed in the start of the process")
    if (plan.settings.mode !== "external") this.add(`mode: ${plan.settings.mode}`)
    if (tookMs !== undefined) this.most("longest end, ms", Math.round(tookMs))
    if ((tookMs ?? 0) >= 2900) this.add(`ends that took all of the three seconds: ${plan.end}`)
    this.most("most processor time of an end, ms", usedMs)
    for (const { act } of plan.steps) this.add(`host: ${act.do}${"name" in act ? `, ${act.name}` : ""}`)
    for (const frame of frames) {
      if (frame.kind !== "event") continue
      if (frame.type === "turn_finished") this.add(`turns: ${frame.payload.reason}`)
      if (frame.type === "tool_call_result") this.add(`tool: ${frame.payload.tool}, ${frame.payload.status}`)
      if (frame.type === "approval_request") this.add("approvals asked")
      if (frame.type === "log" && frame.payload.level === "error") this.add("errors logged")
    }
  }

  get figures(): ReadonlyArray<Figure> {
    return [...this.#counts]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, value]) => ({ name, value, unit: "" }))
  }
}
