import type { Settings } from "../../config/Settings.ts"
import { managedHost } from "../../config/ManagedUrl.ts"

/** The command line arguments of the managed server. The user's own come last, so that they take precedence. */
export const launchArguments = (managed: Settings["localModels"]["managed"]): ReadonlyArray<string> => [
  "--host",
  managedHost,
  "--port",
  `${managed.port}`,
  ...(managed.modelPath === undefined ? [] : ["--model", managed.modelPath]),
  ...(managed.contextSize === 0 ? [] : ["--ctx-size", `${managed.contextSize}`]),
  ...managed.args
]
