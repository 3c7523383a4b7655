import { isDeepStrictEqual } from "node:util"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Settings } from "../../config/Settings.ts"
import { deletesProtected } from "../../shell/Destructive.ts"
import { programsIn } from "../../shell/Programs.ts"
import { judge } from "../../shell/Rules.ts"
import { openEnvironment } from "../../process/Environment.ts"
import { attempt } from "../../files/FileErrors.ts"
import { commandSubject } from "./CommandSubject.ts"
import { leadsToProtected } from "./ErasedPaths.ts"
import { type ChildOutcome, type ChildRequest, runChild } from "../../process/RunChild.ts"
import { runnerOf } from "../../shell/reads/ComposeLine.ts"
import { privateReads } from "./PrivateReads.ts"
import { unattendedRun } from "./UnattendedShell.ts"
import { privateIndex } from "./GitAccess.ts"
import { requireDirectory } from "../../files/RegularFile.ts"
import { resolveReal } from "../../files/RealPath.ts"
import { AtLeastOne } from "../../protocol/Checks.ts"
import { withLiveOutput } from "../LiveOutput.ts"
import * as Tool from "../Tool.ts"
import { homeDirectory, ownSettings, type Workspace } from "../Workspace.ts"
import { refuse } from "../../files/Refused.ts"

/** The longest timeout of a command, in milliseconds. */
const maxTimeoutMs = 24 * 60 * 60 * 1000

/** Runs a command line (runtime, Tools). Commands of the read-only list do not ask. */
export const shellRun = (workspace: Workspace["Service"], settings: Settings["tools"]["shell"]) =>
  Tool.make({
    name: "shell.run",
    description: `Run a command line with ${process.platform === "win32" ? "cmd /c" : "sh -c"}; stdin is closed.`,
    parameters: Schema.Struct({
      command: Schema.String.annotateKey({ documentation: "The command line" }),
      cwd: Schema.optionalKey(Schema.String).annotateKey({
        documentation: "The directory to run it in; the working directory unless given"
      }),
      timeoutMs: Schema.optionalKey(AtLeastOne).annotateKey({
        documentation:
          "How long it may run, in milliseconds; `tools.shell.defaultTimeoutMs` unless given, a day at most"
      })
    }),
    reads: false,
    timeoutMs: null,
    plan: Effect.fnUntraced(function* ({ command, cwd: given = ".", timeoutMs }, context) {
      if (command.trim() === "") return yield* refuse("the command is blank")
      if (command.includes("\0")) return yield* refuse("the command contains a NUL character")
      const { real: cwd, scope } = yield* workspace.reading(given, context)
      const home = homeDirectory()
      const place = { cwd, home, env: openEnvironment() }
      const verdict = judge(command, place, process.platform)
      if (verdict._tag === "Blocked") return yield* refuse(neverRun(verdict.why))
      if (verdict._tag === "Asks" && (yield* attempt(() => leadsToProtected(verdict.erases, place)))) {
        return yield* refuse(neverRun(deletesProtected))
      }
      const limit = Math.min(timeoutMs ?? settings.defaultTimeoutMs, maxTimeoutMs)
      const outcomeOf = (request: Pick<ChildRequest, "command" | "args" | "isQuoted" | "env">) =>
        Effect.gen(function* () {
          yield* attempt(() => requireDirectory(cwd))
          const { maxOutputBytes } = settings
          const outcome = yield* withLiveOutput(context.call, (onOutput) =>
            runChild({ ...request, cwd, timeoutMs: limit, maxOutputBytes, onOutput }, context.background)
          )
          return describe(outcome, limit)
        })
      const realPlaces = async () => ({
        workingDir: await resolveReal(context.workingDir),
        home: home === undefined ? undefined : await resolveReal(home)
      })
      const unattended = Effect.gen(function* () {
        if (verdict._tag !== "ReadOnly" || scope !== "inside") return undefined
        const privateFiles = yield* workspace.privateFiles
        return yield* attempt(async () => {
          const { home, workingDir } = await realPlaces()
          if (workingDir === undefined) return undefined
          const run = await unattendedRun(verdict.plan, cwd, workingDir, home)
          return run && { ...run, shown: await privateReads(run.given, cwd, workingDir, privateFiles) }
        })
      })
      const quiet = yield* unattended
      if (quiet === undefined) {
        const subject = yield* attempt(async () => {
          const { home, workingDir } = await realPlaces()
          const leadsToOwn = (paths: ReadonlyArray<string>) => workspace.leadsToOwn(paths, context)
          return workingDir === undefined ? undefined : commandSubject(command, { cwd, workingDir, home, leadsToOwn })
        })
        return {
          need: {
            categories: ["shell"],
            reason: `run ${programsIn(command, place, process.platform)} in ${cwd}`,
            preview: command,
            affectedResources: [cwd],
            ...(subject === undefined ? {} : { subject })
          },
          run: outcomeOf({ ...shellFor(command), env: openEnvironment() })
        }
      }
      const runQuiet = Effect.scoped(
        Effect.gen(function* () {
          const env = { ...quiet.env, ...(yield* privateIndex(quiet.index)) }
          return yield* outcomeOf({ ...runnerOf(quiet.commands), env })
        })
      )
      const { outside, shown } = quiet
      if (outside.length === 0 && shown.length === 0) return { run: runQuiet }
      const what = shown.length > 0 ? ownSettings : `read the repository in ${outside.join(" and ")}`
      return {
        need: {
          categories: ["fs_read_outside"],
          reason: `${what}, by a command in ${cwd}`,
          preview: command,
          affectedResources: [...outside, ...shown],
          ...(shown.length > 0 ? {} : { subject: { kind: "read" } as const })
        },
        run: Effect.gen(function* () {
          // The answer can take long, and what was judged is what runs.
          if (!isDeepStrictEqual(yield* unattended, quiet)) {
            return yield* refuse("what the command would read has changed since it was shown")
          }
          return yield* runQuiet
        })
      }
    })
  })

const neverRun = (why: string): string => `blocked: ${why}. Such a command is never run`

const shellFor = (command: string): Pick<ChildRequest, "command" | "args" | "isQuoted"> =>
  process.platform === "win32"
    ? { command: process.env["ComSpec"] ?? "cmd.exe", args: ["/d", "/s", "/c", `"${command}"`], isQuoted: true }
    : { command: "/bin/sh", args: ["-c", command] }

/** The output of a program and how it ended, for the model. */
export const describe = ({ end, stderr, stdout }: ChildOutcome, limitMs: number): Tool.ToolOutput => {
  const parts = [headline(end, limitMs)]
  if (stdout.total > 0) parts.push(stdout.text())
  if (stderr.total > 0) parts.push(`--- stderr ---\n${stderr.text()}`)
  if (stdout.total + stderr.total === 0) parts.push("(no output)")
  return {
    text: parts.map((part) => part.replace(/\n$/, "")).join("\n"),
    truncated: stdout.isCut || stderr.isCut,
    isError: end._tag !== "Exited" || end.code !== 0
  }
}

const headline = (end: ChildOutcome["end"], limitMs: number): string => {
  switch (end._tag) {
    case "Exited":
      return `exit code ${end.code}`
    case "Killed":
      return `ended by ${end.signal}`
    case "TimedOut":
      return `timed out after ${limitMs} ms, and was ended with all that it had started`
  }
}
