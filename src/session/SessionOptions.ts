import * as Context from "effect/Context"
import type { Settings } from "../config/Settings.ts"
import type { OptionsInForce, SessionOptions as OptionChange } from "../protocol/SessionOptions.ts"

/** The options of one session, which a host may change while it lives (contract 9, `options`). */
export class SessionOptions extends Context.Service<
  SessionOptions,
  {
    /** As they are now; whoever needs one reads it anew. */
    readonly current: OptionsInForce
    /** Sets what is given; null goes back to the configuration's value. Returns all. */
    change(options: OptionChange): OptionsInForce
  }
>()("atomic-agent-sidecar/session/SessionOptions") {
  static readonly make = (settings: Settings, initial: OptionChange): SessionOptions["Service"] => {
    const configured = configuredOptions(settings)
    let current = changed(configured, configured, initial)
    return SessionOptions.of({
      get current() {
        return current
      },
      change: (options) => (current = changed(current, configured, options))
    })
  }
}

export const configuredOptions = ({ agent, llama, localModels }: Settings): OptionsInForce => ({
  ...(localModels.model === undefined ? {} : { model: localModels.model }),
  thinking: localModels.thinking,
  approvalLevel: agent.approvalLevel,
  maxSteps: agent.maxSteps,
  ...(llama.temperature === undefined ? {} : { temperature: llama.temperature }),
  completionMaxTokens: localModels.completionMaxTokens,
  disabledTools: [],
  ...(agent.instructions === undefined ? {} : { instructions: agent.instructions })
})

/** The options after a change. */
export const changed = (current: OptionsInForce, configured: OptionsInForce, change: OptionChange): OptionsInForce => {
  const given = Object.entries(change).filter(([, value]) => value !== undefined && value !== null)
  const reset = Object.keys(change).filter((key) => Reflect.get(change, key) === null)
  const kept = Object.fromEntries(Object.entries(current).filter(([key]) => !reset.includes(key)))
  const back = Object.fromEntries(Object.entries(configured).filter(([key]) => reset.includes(key)))
  return { ...kept, ...back, ...Object.fromEntries(given) } as OptionsInForce
}
