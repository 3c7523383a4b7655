import type * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"

/** Collects what is logged as an error. */
export const errorLog = (): { readonly lines: Array<string>; readonly layer: Layer.Layer<never> } => {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    if (logLevel === "Error") lines.push([message].flat().join(" "))
  })
  return { lines, layer: Logger.layer([logger]) }
}
