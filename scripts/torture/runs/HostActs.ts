import { Extension } from "../../../src/protocol/Extension.ts"
import type { SeededRandom } from "../../../src/testing/SeededRandom.ts"

/** Which session a request names: the newest one, the one before it, or one that never was. */
export type Target = "active" | "old" | "nobody"

/** One request that a host makes, as data: what it names is looked up when it is sent. */
export type HostAct =
  | { readonly do: "send"; readonly to: Target; readonly maxSteps: number | null; readonly text: Wording }
  | { readonly do: "steer"; readonly to: Target; readonly isBlank: boolean }
  | { readonly do: "cancel" | "state" | "queue" | "delete" | "resume"; readonly to: Target }
  | { readonly do: "start"; readonly where: keyof Places["workingDirs"]; readonly withMetadata: boolean }
  /** `which` counts back from the newest one. */
  | { readonly do: "unqueue"; readonly which: number }
  | { readonly do: "approve"; readonly which: number; readonly approved: boolean }
  | { readonly do: "hello"; readonly extensions: ReadonlyArray<Extension> }
  | { readonly do: "ping" | "list" | "skills" }
  | { readonly do: "install"; readonly skill: string; readonly force: boolean | null }
  | { readonly do: "uninstall"; readonly skill: string }

export type Wording = "plain" | "unicode" | "separators" | "long"

/** What a random host names in its requests. */
export interface Places {
  /** Two that a session can start in, and two that it cannot. */
  readonly workingDirs: {
    readonly good: string
    readonly relative: string
    readonly missing: string
    readonly file: string
  }
  /** The folder of the skills that it installs; those that can be are named `good`. */
  readonly skills: string
}

export const extensions: ReadonlyArray<Extension> = Extension.literals

/** How often each act is chosen, so that turns get somewhere and what races most is done most. */
export const hostWeights: { readonly [K in HostAct["do"]]: number } = {
  send: 26,
  steer: 8,
  cancel: 7,
  approve: 2,
  state: 3,
  queue: 2,
  unqueue: 2,
  delete: 1,
  resume: 2,
  start: 3,
  hello: 1,
  ping: 4,
  list: 2,
  skills: 1,
  install: 2,
  uninstall: 2
}

export const isHostAct = (kind: string): kind is HostAct["do"] => Object.hasOwn(hostWeights, kind)

/** An act of this kind. */
export const drawAct = (random: SeededRandom, kind: HostAct["do"]): HostAct => {
  const to = random.weighted<Target>({ active: 14, old: 1, nobody: 1 })
  switch (kind) {
    case "send": {
      const text = random.weighted<Wording>({ plain: 10, unicode: 3, separators: 1, long: 1 })
      return { do: kind, to, maxSteps: random.pick([null, null, null, 1, 2, 3]), text }
    }
    case "steer":
      return { do: kind, to, isBlank: random.chance(0.1) }
    case "resume":
      return { do: kind, to: random.pick<Target>(["active", "active", "old", "nobody"]) }
    case "cancel":
    case "state":
    case "queue":
    case "delete":
      return { do: kind, to }
    case "start":
      return {
        do: kind,
        where: random.weighted({ good: 4, relative: 1, missing: 1, file: 1 }),
        withMetadata: random.chance(0.3)
      }
    case "unqueue":
      return { do: kind, which: random.integer(0, 2) }
    case "approve":
      return { do: kind, which: random.integer(0, 2), approved: random.chance(0.5) }
    case "hello":
      return { do: kind, extensions: random.some(extensions, random.unit()) }
    case "install":
      return {
        do: kind,
        skill: random.weighted({ good: 4, bad: 1, escapes: 1, missing: 1 }),
        force: random.pick([null, true, false])
      }
    case "uninstall":
      return { do: kind, skill: random.pick(["good-skill", "good-skill", "no-such-skill", "../work", "A"]) }
    default:
      return { do: kind }
  }
}
