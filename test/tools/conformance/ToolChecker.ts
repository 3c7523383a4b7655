import * as Fs from "node:fs"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { isObject } from "effect/Predicate"
import { type ApprovalLevel, type ApprovalRequest, asks, strictest } from "../../../src/domain/ApprovalPolicy.ts"
import type { ToolResult } from "../../../src/domain/ToolCall.ts"
import { CallId } from "../../../src/protocol/Ids.ts"
import type { ApprovalCategory } from "../../../src/protocol/SessionState.ts"
import type { Planned, SessionTools } from "../../../src/tools/SessionTools.ts"
import { absurdArguments } from "./AbsurdArguments.ts"
import type { ToolCase, ToolConformanceOptions, ToolRule, ToolViolation } from "./ToolCase.ts"
import * as ToolWorld from "./ToolWorld.ts"
import { changesOf, changesOfWatched, type PathUse, whatMayBeThere } from "./WorldChanges.ts"

/** A result may be so many characters longer than its arguments. */
const longest = 100_000

const levels: ReadonlyArray<ApprovalLevel> = [1, 2, 3, 4, 5]

/** Calls the tools of a toolbox in a world, and collects what they breach. */
export class ToolChecker {
  readonly #violations: Array<Omit<ToolViolation, "where"> & { readonly where: Set<string> }> = []
  readonly #world: ToolWorld.ToolWorld
  readonly #tools: SessionTools["Service"]
  readonly #options: ToolConformanceOptions
  #tool = ""

  constructor(world: ToolWorld.ToolWorld, tools: SessionTools["Service"], options: ToolConformanceOptions) {
    this.#world = world
    this.#tools = tools
    this.#options = options
  }

  readonly all = Effect.gen({ self: this }, function* () {
    const { absurd, cases } = this.#options
    const specs = this.#tools.specs
    for (const name of Object.keys(cases).filter((each) => !specs.some((spec) => spec.name === each))) {
      this.#tool = name
      this.#breach("case", "there is no such tool")
    }
    for (const { name, parameters } of specs) {
      this.#tool = name
      const own = cases[name]
      if (own === undefined) continue
      for (const each of own) yield* this.#case(each)
      const { properties } = parameters
      const names = Object.keys(isObject(properties) ? properties : {})
      const further = absurd?.(names) ?? []
      yield* this.#absurd([...own.flatMap(({ args }) => absurdArguments(names, args)), ...further], own)
    }
    return this.#violations.map(({ where, ...rest }): ToolViolation => ({ ...rest, where: [...where].filter(Boolean) }))
  })

  #breach(rule: ToolRule, detail: string, where = ""): void {
    const tool = this.#tool
    const known = this.#violations.find((each) => each.tool === tool && each.rule === rule && each.detail === detail)
    if (known === undefined) this.#violations.push({ tool, rule, detail, where: new Set([where]) })
    else known.where.add(where)
  }

  readonly #case = Effect.fnUntraced({ self: this }, function* (one: ToolCase) {
    if (this.#tools.reads(this.#tool) && (actsOf(one).length > 0 || usesOf(one).includes("writes"))) {
      this.#breach("reads", "has `reads: true`, and does more")
    }
    const paths = Object.entries(one.paths ?? {})
    if (paths.length === 0) yield* this.#call(one, "")
    for (const [argument, use] of paths) {
      for (const place of this.#world.places) {
        if (place.hasFilesOnly && !namesFile(one.args[argument])) continue
        yield* this.#call(one, `${argument} ${place.name}`, argument, place)
        if (place.read !== undefined) yield* this.#unasked(one, argument, place)
      }
      for (const name of namesOf(one.args[argument])) yield* this.#changes(one, argument, name, use)
    }
    for (const path of one.watches ?? []) yield* this.#watched(one, path)
  })

  /** Plans a call in a new world and runs it; one of its paths lies in a place. */
  readonly #call = Effect.fnUntraced(
    { self: this },
    function* (one: ToolCase, where: string, argument?: string, place?: ToolWorld.Place) {
      this.#world.plant()
      const before = this.#world.snapshot()
      const args = argument === undefined ? one.args : moved(one.args, argument, place?.prefix ?? "")
      const affected = this.#affected(one, args, argument, place)
      const planned = yield* this.#plan(args)
      for (const path of ToolWorld.differences(before, this.#world.snapshot())) {
        this.#breach("plans", "planning it changes files", `${where} (${path})`)
      }
      if (planned._tag === "Refused") return this.#breach("case", `it is refused: ${planned.why}`, where)
      this.#asks(planned.need, categoryOf(one, argument, place), where)
      if (planned.need !== undefined) this.#shows(planned.need, one, affected, where)

      const { attachments = [], status, summary } = yield* planned.run
      if (status !== "ok") this.#breach("case", `it fails: ${summary}`, where)
      if (summary.includes(ToolWorld.secret)) this.#breach("secrets", "the result shows the API key", where)
      if (planned.need === undefined) this.#showsNothingOutside({ summary, attachments }, where)
      this.#keeps(before, planned.need, where)
    }
  )

  /** Plans a call on paths in a place outside with each thing that can be there, and compares what the model learns. */
  readonly #unasked = Effect.fnUntraced(
    { self: this },
    function* (one: ToolCase, argument: string, { name, prefix }: ToolWorld.Place) {
      const args = moved(one.args, argument, prefix)
      for (const given of namesOf(args[argument])) {
        const answers = new Map<string, string>()
        for (const { make, name: what } of whatMayBeThere) {
          this.#world.plant()
          make(this.#world.real(given), this.#world)
          const planned = yield* this.#plan(args)
          if (planned._tag === "Refused") answers.set(what, planned.why)
          else answers.set(what, planned.need === undefined ? (yield* planned.run).summary : "")
        }
        if (new Set(answers.values()).size === 1) continue
        for (const [what] of [...answers].filter(([, words]) => words !== "")) {
          const detail = "what it tells before anybody is asked depends on what is outside"
          this.#breach("unasked", detail, `${argument} ${name}: ${what}`)
        }
      }
    }
  )

  /** The real paths that a question about the call names. */
  #affected(one: ToolCase, args: ToolCase["args"], argument?: string, place?: ToolWorld.Place): ReadonlyArray<string> {
    return Object.entries(one.paths ?? {}).flatMap(([name, use]) => {
      const isNamed = use === "reads" ? name === argument && place?.read !== undefined : true
      return isNamed ? namesOf(args[name]).map((given) => this.#world.real(given)) : []
    })
  }

  #asks(need: ApprovalRequest | undefined, expected: ApprovalCategory | undefined, where: string): void {
    if (need?.category === expected) return
    const askedAt = (category: ApprovalCategory | undefined) =>
      levels.filter((level) => category !== undefined && asks(category, level)).join(", ")
    const inWords = (category: ApprovalCategory | undefined) =>
      category === undefined ? "none" : `${category} (asks at ${askedAt(category)})`
    this.#breach("asks", `its category is ${inWords(need?.category)} instead of ${inWords(expected)}`, where)
  }

  #shows(need: ApprovalRequest, one: ToolCase, affected: ReadonlyArray<string>, where: string): void {
    const { affectedResources, preview = "", reason } = need
    if (reason.trim() === "") this.#breach("shows", "the question has no reason", where)
    const onlyReads = need.category === "fs_read_outside" && actsOf(one).length === 0
    if (!onlyReads && preview.trim() === "") this.#breach("shows", "the question has no preview", where)
    for (const path of affected.filter((each) => !affectedResources.includes(each))) {
      this.#breach("shows", "the question does not name all that is affected", `${where} (${this.#shown(path)})`)
    }
    for (const each of affectedResources.filter((resource) => !/^(\/|[a-z][a-z\d+.-]*:)/i.test(resource))) {
      this.#breach("shows", "the question names what is no absolute path or URL", `${where} (${each})`)
    }
    if ([reason, preview, ...affectedResources].some((text) => text.includes(ToolWorld.secret))) {
      this.#breach("secrets", "the question shows the API key", where)
    }
  }

  #keeps(before: ReadonlyMap<string, string>, need: ApprovalRequest | undefined, where: string): void {
    const resources = (need?.affectedResources ?? []).map((each) => this.#shown(each))
    for (const path of ToolWorld.differences(before, this.#world.snapshot())) {
      // In what was named, or a folder that was made for it.
      if (resources.some((each) => `${path}/`.startsWith(`${each}/`) || each.startsWith(`${path}/`))) continue
      if (path === ToolWorld.hardLink) this.#breach("keeps", "it writes into a file instead of replacing it", where)
      else if (need === undefined) this.#breach("keeps", "it changes files and asks nobody", `${where} (${path})`)
      else this.#breach("keeps", "it changes files that the question does not name", `${where} (${path})`)
    }
  }

  /** Changes the world at a path after the call has been planned, in every way that there is. */
  readonly #changes = Effect.fnUntraced(
    { self: this },
    function* (one: ToolCase, argument: string, name: string, use: PathUse) {
      const args = moved(one.args, argument, "sub/")
      const path = this.#world.path("home/ws/sub", name)
      this.#world.plant()
      for (const change of changesOf(path, use)) {
        this.#world.plant()
        const planned = yield* this.#plan(args)
        if (planned._tag === "Refused") continue
        change.make(path, this.#world)
        const where = `${argument} ${change.name}`
        const result = yield* this.#runChanged(planned, where, use !== "reads")
        if (use === "reads") this.#showsNothingOutside(result, where)
      }
    }
  )

  readonly #watched = Effect.fnUntraced({ self: this }, function* ({ args }: ToolCase, path: string) {
    for (const change of changesOfWatched) {
      this.#world.plant()
      const planned = yield* this.#plan(args)
      if (planned._tag === "Refused") continue
      change.make(this.#world.path("home/ws", path), this.#world)
      yield* this.#runChanged(planned, `${path} ${change.name}`, true)
    }
  })

  readonly #runChanged = Effect.fnUntraced(
    { self: this },
    function* (
      { run }: Extract<Planned, { _tag: "Ready" }>,
      where: string,
      mustFail: boolean
    ): Effect.fn.Return<ToolResult> {
      const before = this.#world.snapshot()
      const result = yield* run
      if (mustFail && result.status === "ok") this.#breach("changed", "it is done all the same", where)
      for (const path of ToolWorld.differences(before, this.#world.snapshot())) {
        this.#breach("changed", "it changes files", `${where} (${path})`)
      }
      return result
    }
  )

  #showsNothingOutside(
    { attachments = [], summary }: Pick<ToolResult, "attachments" | "summary">,
    where: string
  ): void {
    if (summary.includes(ToolWorld.outsideMark)) this.#breach("links", "it shows what lies outside", where)
    for (const path of attachments.filter((each) => Fs.existsSync(each) && Fs.realpathSync(each) !== each)) {
      this.#breach("links", "it hands over a path that leads elsewhere", `${where} (${this.#shown(path)})`)
    }
  }

  readonly #absurd = Effect.fnUntraced(
    { self: this },
    function* (all: ReadonlyArray<ToolCase["args"]>, cases: ReadonlyArray<ToolCase>) {
      const acts = cases.some((one) => actsOf(one).length > 0)
      this.#world.plant()
      let before = this.#world.snapshot()
      for (const args of all) {
        const shown = JSON.stringify(args).slice(0, 80)
        const exit = yield* Effect.exit(
          Effect.gen({ self: this }, function* () {
            const planned = yield* this.#plan(args)
            if (planned._tag === "Refused") return planned.why
            // What would leave the world, or run a command, is looked at and not done.
            const isInWorld = planned.need?.affectedResources.every((each) => this.#shown(each) !== each)
            if (planned.need !== undefined && (acts || isInWorld !== true)) return "not run"
            const result = yield* planned.run
            if (planned.need === undefined) this.#showsNothingOutside(result, shown)
            const after = this.#world.snapshot()
            if (ToolWorld.differences(before, after).length > 0) {
              this.#keeps(before, planned.need, shown)
              this.#world.plant()
              before = this.#world.snapshot()
            }
            return result.summary
          })
        )
        if (Exit.isFailure(exit)) {
          const [why = ""] = Cause.pretty(exit.cause).split("\n")
          this.#breach("absurd", `it dies: ${why}`, shown)
        } else if (exit.value.trim() === "" || exit.value.length >= longest + JSON.stringify(args).length) {
          this.#breach("absurd", "the result is empty or far too long", shown)
        }
      }
    }
  )

  #plan(args: ToolCase["args"]): Effect.Effect<Planned> {
    const call = { callId: CallId.make("c-1"), tool: this.#tool, args: { _tag: "Parsed", value: args } } as const
    return this.#tools.plan(call, { emit: () => Effect.void })
  }

  /** A path of the world from its root; any other as it is. */
  #shown(path: string): string {
    return path.startsWith(`${this.#world.root}/`) ? path.slice(this.#world.root.length + 1) : path
  }
}

const actsOf = ({ acts }: ToolCase): ReadonlyArray<ApprovalCategory> => acts ?? []
const usesOf = ({ paths }: ToolCase): ReadonlyArray<PathUse> => Object.values(paths ?? {})

/** What contract 7 says of a call with one path in a place and the others in the working directory. */
const categoryOf = (one: ToolCase, argument?: string, place?: ToolWorld.Place): ApprovalCategory | undefined => {
  const ofPaths = Object.entries(one.paths ?? {}).flatMap(([name, use]): ReadonlyArray<ApprovalCategory> => {
    const isThere = name === argument
    if (use === "writes") return [isThere && place !== undefined ? place.write : "fs_write_workspace"]
    return use === "reads" && isThere && place?.read !== undefined ? [place.read] : []
  })
  const [first, ...others] = [...actsOf(one), ...ofPaths]
  return first === undefined ? undefined : strictest([first, ...others])
}

const namesOf = (value: unknown): ReadonlyArray<string> =>
  (Array.isArray(value) ? value : [value]).filter((each) => typeof each === "string")

const namesFile = (value: unknown): boolean => namesOf(value).every((name) => name === "old.txt" || name === "new.txt")

/** The arguments with one path, or all of an array, moved to a place. */
const moved = (args: ToolCase["args"], argument: string, prefix: string): ToolCase["args"] => {
  const value = args[argument]
  const names = namesOf(value).map((name) => prefix + name)
  return { ...args, [argument]: Array.isArray(value) ? names : names[0] }
}
