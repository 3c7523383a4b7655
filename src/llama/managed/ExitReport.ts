import type { Settings } from "../../config/Settings.ts"
import { managedHost, managedUrl } from "../../config/ManagedUrl.ts"

/** How one run of the managed server ended, or why it did not start. */
export type ExitReport =
  | { readonly _tag: "NotFound"; readonly command: string; readonly path: string }
  | { readonly _tag: "NotRunnable"; readonly command: string; readonly why: string }
  /** Another program listens at the port; `model` if it is a model server. */
  | { readonly _tag: "PortTaken"; readonly port: number; readonly model?: string }
  | {
      readonly _tag: "Exited"
      readonly code: number | null
      readonly signal: string | null
      /** The last lines of its stderr, oldest first. */
      readonly lastLines: ReadonlyArray<string>
    }

/** After this many failed runs in a row, one more makes {@link restart} give the server up. */
export const maxRestarts = 3

/** The pause before the first restart, in milliseconds. It doubles with each further one. */
const firstPauseMs = 250

/** A run that was ready for this long, in milliseconds, starts the count of failures anew. */
const stableMs = 60_000

/**
 * Decides whether a server is started again, and after how many milliseconds; null: give it up. `failed` is the number
 * of failed runs in a row before this one, `readyMs` how long this one was ready.
 */
export const restart = (
  failed: number,
  end: ExitReport,
  readyMs: number
): { readonly failed: number; readonly pauseMs: number } | null => {
  if (end._tag === "NotFound" || end._tag === "NotRunnable") return null
  const inARow = readyMs >= stableMs ? 1 : failed + 1
  return inARow > maxRestarts ? null : { failed: inARow, pauseMs: firstPauseMs * 2 ** (inARow - 1) }
}

/** One line, and below it the server's last lines of output, if there are any. */
export const toMessage = (end: ExitReport): string => {
  switch (end._tag) {
    case "NotFound":
      return /[/\\]/.test(end.command)
        ? `there is no program ${end.command}`
        : `there is no program ${end.command} on the PATH (${end.path})`
    case "NotRunnable":
      return `${end.command} cannot be run: ${end.why}`
    case "PortTaken":
      return `port ${end.port} of ${managedHost} is in use by ${
        end.model === undefined ? "another program" : `another model server (${end.model})`
      }`
    case "Exited": {
      const how = end.code === null ? `was ended by ${end.signal}` : `ended with exit code ${end.code}`
      const words = end.lastLines.length === 0 ? [" without a word"] : ["; its last words:", ...end.lastLines]
      return `llama-server ${how}${words.join("\n")}`
    }
  }
}

/** What the user can do about it. */
export const hint = (end: ExitReport, { localModels: { managed }, stateDir }: Settings): string => {
  const file = `${stateDir}/config.json`
  switch (end._tag) {
    case "NotFound":
    case "NotRunnable":
      return `Install llama-server (llama.cpp), or say where it is: localModels.managed.command in ${file}.`
    case "PortTaken":
      return `Name another port: localModels.managed.port in ${file}. Or use the server that is there: localModels.mode "external" and localModels.url "${managedUrl(managed.port)}".`
    case "Exited":
      return `Look at localModels.managed in ${file}: modelPath, contextSize, args. With log.level "debug" all that it writes is told. The next message starts it once more.`
  }
}
