import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { ConfigInvalid } from "./ConfigInvalid.ts"
import * as Process from "./Process.ts"
import { resolve } from "./Resolve.ts"
import type { Overrides, Settings } from "./Settings.ts"

/** The settings of this process. */
export class Config extends Context.Service<Config, Settings>()("atomic-agent-sidecar/config/Config") {
  /** From the environment and the state directory, which is made if it does not exist. Read once, synchronously. */
  static readonly layer: Layer.Layer<Config, ConfigInvalid> = Layer.effect(
    this,
    Effect.suspend(() => Effect.fromResult(Process.settings()))
  )

  /** The defaults with these overrides. No file or variable is read, and no directory is made. */
  static layerOf(overrides: Overrides): Layer.Layer<Config> {
    return Layer.sync(this, () => merged(Result.getOrThrow(resolve(Process.bare())), overrides) as Settings)
  }
}

const merged = (value: unknown, overrides: unknown): unknown => {
  if (!isSection(value) || !isSection(overrides)) return overrides
  const changed = Object.entries(overrides).map(([key, change]) => [key, merged(Reflect.get(value, key), change)])
  return { ...value, ...Object.fromEntries(changed) }
}

const isSection = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
