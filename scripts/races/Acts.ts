import * as fc from "fast-check"

/** Which session a request names: the one the host holds for active, one before it, or one that never was. */
export type Whom = "active" | "old" | "nobody"

/** What the model asks for in a step. */
export type Wish = "read" | "write" | "odd" | "finish" | "unusable" | "unknown"

/** One thing that the host, the model, a tool or time does. */
export type Act =
  | { readonly do: "send"; readonly to: Whom; readonly maxSteps: number | null }
  | { readonly do: "steer"; readonly to: Whom; readonly isBlank: boolean }
  | { readonly do: "cancel" | "state" | "queue" | "delete"; readonly to: Whom }
  | { readonly do: "unqueue"; readonly which: number }
  | { readonly do: "approve"; readonly which: number; readonly approved: boolean }
  | { readonly do: "start"; readonly isGood: boolean }
  | { readonly do: "resume"; readonly to: Whom }
  | { readonly do: "hello"; readonly extensions: ReadonlyArray<string> }
  | { readonly do: "ping" | "list" | "skills" | "install" | "uninstall" | "hostPauses" | "hostReads" }
  | { readonly do: "bad"; readonly which: number }
  | { readonly do: "say" | "think" | "prefill" | "answer" | "fail" | "die" }
  | { readonly do: "calls"; readonly wishes: ReadonlyArray<Wish>; readonly withText: boolean }
  | { readonly do: "tool"; readonly which: number; readonly how: "finish" | "fail" | "die" }
  | { readonly do: "time"; readonly ms: number }
  | { readonly do: "end"; readonly how: "shutdown" | "input" }

/** How far everything else gets before the next act. */
export type Gap =
  /** Not at all: the two come in one write. */
  | { readonly wait: "nothing" }
  /** So many microtasks. */
  | { readonly wait: "microtasks"; readonly count: number }
  /** So many turns of the event loop, and what the file system owes. */
  | { readonly wait: "turns"; readonly count: number }

/** A whole run, as data: the same plan plays the same way. */
export interface Plan {
  readonly acts: ReadonlyArray<{ readonly act: Act; readonly gap: Gap }>
  /** Bytes that may wait for the host (`sidecar.outputBufferBytes`). */
  readonly outputBufferBytes: number
  /** How many turns of the scheduler each operation of database and probe takes, one after the other, over and over. */
  readonly delays: ReadonlyArray<number>
  /** How each write to the database ends, one after the other, over and over. */
  readonly writes: ReadonlyArray<Write>
  readonly extensions: ReadonlyArray<string>
}

export type Write = "good" | "fails" | "dies"

export const extensions = ["llm_progress", "llm_state", "approval_resolved", "queue", "sessions"]

const whom = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Whom>("active") },
  { weight: 1, arbitrary: fc.constantFrom<Whom>("old", "nobody") }
)

const wishes = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom<Wish>("read", "write") },
    { weight: 1, arbitrary: fc.constantFrom<Wish>("odd", "finish", "unusable", "unknown") }
  ),
  { minLength: 1, maxLength: 3 }
)

/** The weights are such that turns get somewhere, and that what races most is done most. */
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ do: fc.constant("send" as const), to: whom, maxSteps: fc.constantFrom(null, null, 1, 2) })
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("steer" as const),
      to: whom,
      isBlank: fc.constantFrom(false, false, false, true)
    })
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("cancel" as const), to: whom }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("approve" as const), which: fc.nat(2), approved: fc.boolean() })
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom("state" as const, "queue" as const, "delete" as const), to: whom })
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("unqueue" as const), which: fc.nat(2) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("start" as const), isGood: fc.constantFrom(true, true, false) })
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("resume" as const), to: fc.constantFrom<Whom>("active", "old", "nobody") })
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("hello" as const), extensions: fc.subarray(extensions) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom("ping" as const, "list" as const, "skills" as const, "install" as const, "uninstall" as const)
    })
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("bad" as const), which: fc.nat(7) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("hostPauses" as const, "hostReads" as const) }) },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constantFrom("say" as const, "say" as const, "think" as const, "prefill" as const) })
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("answer" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("fail" as const, "fail" as const, "die" as const) }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("calls" as const), wishes, withText: fc.boolean() }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("tool" as const),
      which: fc.nat(2),
      how: fc.constantFrom("finish" as const, "finish" as const, "finish" as const, "fail" as const, "die" as const)
    })
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("time" as const), ms: fc.constantFrom(10, 1000, 2500) }) }
)

const gap: fc.Arbitrary<Gap> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Gap>({ wait: "nothing" }) },
  {
    weight: 2,
    arbitrary: fc.record({ wait: fc.constant("microtasks" as const), count: fc.integer({ min: 1, max: 6 }) })
  },
  { weight: 5, arbitrary: fc.record({ wait: fc.constant("turns" as const), count: fc.integer({ min: 1, max: 4 }) }) }
)

const end: fc.Arbitrary<ReadonlyArray<{ readonly act: Act; readonly gap: Gap }>> = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.record({
          act: fc.record({
            do: fc.constant("end" as const),
            how: fc.constantFrom("shutdown" as const, "input" as const)
          }),
          gap
        }),
        // What comes too late.
        fc.array(fc.record({ act, gap }), { maxLength: 3 })
      )
      .map(([last, late]) => [last, ...late])
  }
)

export const plan: fc.Arbitrary<Plan> = fc.record({
  acts: fc
    .tuple(fc.array(fc.record({ act, gap }), { maxLength: 40, size: "max" }), end)
    .map(([acts, late]) => [...acts, ...late]),
  outputBufferBytes: fc.constantFrom(300, 1500, 1_000_000, 1_000_000),
  delays: fc.array(fc.nat(3), { minLength: 1, maxLength: 5 }),
  writes: fc.oneof(
    { weight: 5, arbitrary: fc.constant<ReadonlyArray<Write>>(["good"]) },
    {
      weight: 1,
      arbitrary: fc.array(fc.constantFrom<Write>("good", "good", "fails", "dies"), { minLength: 1, maxLength: 5 })
    }
  ),
  extensions: fc.oneof(fc.constant(extensions), fc.subarray(extensions))
})
