import { realpath } from "node:fs/promises"
import { withRegularFile } from "../files/RegularFile.ts"
import * as NodePath from "node:path"
import * as Result from "effect/Result"
import { headBytes, parse, type Skill } from "./Skill.ts"
import { refuse } from "../files/Refused.ts"
import { systemCode } from "../domain/SystemError.ts"
import { isWithin } from "../files/PathScope.ts"

/** The file that makes a folder a skill. */
export const skillFile = "SKILL.md"

/** A larger `SKILL.md`, in bytes, is none. */
const maxBytes = 1024 * 1024

/** Reads a folder's front matter. */
export const readSkill = async (folder: string): Promise<Skill> => {
  const text = await readText(folder, headBytes)
  const skill = parse(text)
  if (Result.isFailure(skill)) throw refuse(`${NodePath.join(folder, skillFile)}: ${skill.failure}`)
  return skill.success
}

/** Reads a folder's `SKILL.md`, or its first bytes. */
export const readText = async (folder: string, limit: number = maxBytes): Promise<string> => {
  const path = NodePath.join(folder, skillFile)
  const real = await realpath(path).catch((error: unknown) => {
    throw systemCode(error) === "ENOENT" ? refuse(`${path} is not there`) : error
  })
  if (!isWithin(await realpath(folder), real)) throw refuse(`${path} is a link that leads out of the skill`)
  const { bytes, size } = await withRegularFile(real, async (file, { size }) => {
    if (size > maxBytes) throw refuse(`${path} has ${size} bytes, more than ${maxBytes}`)
    const { buffer, bytesRead } = await file.read({ buffer: new Uint8Array(Math.min(limit, size)), position: 0 })
    return { bytes: buffer.subarray(0, bytesRead), size }
  })
  try {
    // A character that is cut at the end is nobody's fault.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: bytes.length < size })
  } catch {
    throw refuse(`${path} is not UTF-8`)
  }
}
