import { Buffer } from "node:buffer"
import { realpath } from "node:fs/promises"
import * as NodePath from "node:path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Settings } from "../../config/Settings.ts"
import { quotedWord } from "../../domain/QuotedWord.ts"
import { scriptPath } from "../../skills/Skill.ts"
import type { InstalledSkill, SkillRegistry } from "../../skills/SkillRegistry.ts"
import { findSkill } from "./FindSkill.ts"
import { openEnvironment } from "../../process/Environment.ts"
import { ownNode, ownNodeEnvironment } from "../../process/OwnNode.ts"
import { withRegularFile } from "../../files/RegularFile.ts"
import { runChild } from "../../process/RunChild.ts"
import { scriptCommand } from "./ScriptCommand.ts"
import { describe } from "../shell/ShellRun.ts"
import { withLiveOutput } from "../LiveOutput.ts"
import * as Tool from "../Tool.ts"
import { refuse } from "../../files/Refused.ts"
import { isWithin } from "../../files/PathScope.ts"
import { attempt } from "../../files/FileErrors.ts"

/** Runs a script that a skill declares, in the working directory (contract 7, 8). */
export const skillRunScript = (
  registry: SkillRegistry["Service"],
  { defaultTimeoutMs, maxOutputBytes }: Settings["tools"]["shell"]
) =>
  Tool.make({
    name: "skill.run_script",
    description: "Run one of the scripts of a skill that you have read, in the working directory.",
    parameters: Schema.Struct({
      skill: Schema.String.annotateKey({ documentation: "The name of an installed skill" }),
      script: Schema.String.annotateKey({ documentation: "One of the scripts that it declares" }),
      args: Schema.optionalKey(Schema.Array(Schema.String)).annotateKey({
        documentation: "Arguments for the script, each as it is"
      })
    }),
    reads: false,
    timeoutMs: null,
    plan: Effect.fnUntraced(function* ({ args = [], script, skill: name }, context) {
      const skill = yield* findSkill(registry, name, context)
      const path = scriptPath(script)
      if (path === undefined || !skill.requiresScripts.includes(path)) return yield* refuse(undeclared(skill, script))
      if (args.some((arg) => arg.includes("\0"))) return yield* refuse("an argument contains a NUL character")
      const asked = yield* attempt(() => look(skill, path))
      const command = [...asked.command, ...args]
      const run = Effect.gen(function* () {
        const { fingerprint } = yield* attempt(() => look(skill, path))
        if (fingerprint !== asked.fingerprint)
          return yield* refuse(`${asked.real} has changed since it was asked about: it was not run`)
        const [program = "", ...rest] = command
        const request = {
          command: program,
          args: rest,
          cwd: context.workingDir,
          env: { ...openEnvironment(), ...ownNodeEnvironment(program) },
          timeoutMs: defaultTimeoutMs,
          maxOutputBytes
        }
        const outcome = yield* withLiveOutput(context.call, (onOutput) =>
          runChild({ ...request, onOutput }, context.background)
        )
        return describe(outcome, defaultTimeoutMs)
      })
      return {
        need: {
          categories: ["script"],
          reason: `run ${path} of the skill ${name} in ${context.workingDir}`,
          preview: command.map(quotedWord).join(" "),
          affectedResources: [asked.real],
          subject: { kind: "script", skill: name, script: path }
        },
        run
      }
    })
  })

const undeclared = ({ name, requiresScripts }: InstalledSkill, script: string): string =>
  `The skill ${name} declares no script ${JSON.stringify(script)}. ${
    requiresScripts.length === 0 ? "It declares none." : `Its scripts are: ${requiresScripts.join(", ")}.`
  }`

/** The real path of a script, its command, and a fingerprint that changes with the file. */
const look = async ({ folder, name }: InstalledSkill, path: string) => {
  const real = await realpath(NodePath.join(folder, "scripts", path))
  if (!isWithin(NodePath.join(folder, "scripts"), real))
    throw refuse(`${real} is not among the scripts of the skill ${name}`)
  return withRegularFile(real, async (handle) => {
    const { ctimeNs, dev, ino, mode, size } = await handle.stat({ bigint: true })
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(2), position: 0 })
    const command = scriptCommand(real, {
      platform: process.platform,
      isExecutable: (mode & 0o111n) !== 0n,
      hasShebang: buffer.toString("latin1", 0, bytesRead) === "#!",
      node: ownNode()
    })
    if (command === undefined)
      throw refuse(`${real} cannot be run: it is not executable, and its name does not say how`)
    return { real, command, fingerprint: [dev, ino, size, ctimeNs].join() }
  })
}

/** Quotes a word for a shell. */
