import { constants } from "node:fs"
import { lstat, open, realpath } from "node:fs/promises"
import * as NodePath from "node:path"
import * as Result from "effect/Result"
import { headBytes, parse, type Skill } from "./Skill.ts"
import { SkillRefused } from "./SkillRegistry.ts"

/** The file that makes a folder a skill. */
export const skillFile = "SKILL.md"

/** A larger `SKILL.md`, in bytes, is none. */
const maxBytes = 1024 * 1024

/** Reads a folder's front matter. */
export const readSkill = async (folder: string): Promise<Skill> => {
  const text = await readText(folder, headBytes)
  const skill = parse(text)
  if (Result.isFailure(skill)) throw refusal(`${NodePath.join(folder, skillFile)}: ${skill.failure}`)
  return skill.success
}

/** Reads a folder's `SKILL.md`, or its first bytes. */
export const readText = async (folder: string, limit: number = maxBytes): Promise<string> => {
  const path = NodePath.join(folder, skillFile)
  const real = await realpath(path).catch((error: unknown) => {
    throw codeOf(error) === "ENOENT" ? refusal(`${path} is not there`) : error
  })
  if (!holds(await realpath(folder), real)) throw refusal(`${path} is a link that leads out of the skill`)
  // Looked at before it is opened: opening alone can block, or wake a device.
  if (!(await lstat(real)).isFile()) throw refusal(`${path} is not a regular file`)
  await using file = await open(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  const { size } = await file.stat()
  if (size > maxBytes) throw refusal(`${path} has ${size} bytes, more than ${maxBytes}`)
  const { buffer, bytesRead } = await file.read({ buffer: new Uint8Array(Math.min(limit, size)), position: 0 })
  try {
    // A character that is cut at the end is nobody's fault.
    return new TextDecoder("utf-8", { fatal: true }).decode(buffer.subarray(0, bytesRead), { stream: bytesRead < size })
  } catch {
    throw refusal(`${path} is not UTF-8`)
  }
}

/** Whether a real path lies in a real folder, or is it. */
export const holds = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(NodePath.sep) ? folder : folder + NodePath.sep)

export const refusal = (detail: string): SkillRefused => new SkillRefused({ detail })

/** The code of an error of the operating system. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" && "syscall" in error
    ? error.code
    : undefined
