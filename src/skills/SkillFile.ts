import { realpath } from "node:fs/promises"
import { withRegularFile } from "../files/RegularFile.ts"
import * as NodePath from "node:path"
import * as Result from "effect/Result"
import { headBytes, parse, type Skill } from "./Skill.ts"
import { isMissing } from "../files/FileErrors.ts"
import { refuse } from "../files/Refused.ts"
import { isWithin } from "../files/PathScope.ts"

/** The file that makes a folder a skill. */
export const skillFile = "SKILL.md"

/** The largest `SKILL.md`, in bytes. */
const maxBytes = 1024 * 1024

/** Reads the front matter of the `SKILL.md` in a folder. Fails with `Refused` if there is none or it is invalid. */
export const readSkill = async (folder: string): Promise<Skill> => {
  const text = await readText(folder, headBytes)
  const skill = parse(text)
  if (Result.isFailure(skill)) throw refuse(`${NodePath.join(folder, skillFile)}: ${skill.failure}`)
  return skill.success
}

/** Reads the `SKILL.md` in a folder, or its first `limit` bytes. Fails with `Refused` if it cannot be used. */
export const readText = async (folder: string, limit: number = maxBytes): Promise<string> => {
  const path = NodePath.join(folder, skillFile)
  const real = await realpath(path).catch((error: unknown) => {
    throw isMissing(error) ? refuse(`${path} is not there`) : error
  })
  if (!isWithin(await realpath(folder), real)) throw refuse(`${path} is a link that leads out of the skill`)
  const { bytes, size } = await withRegularFile(real, async (file, { size }) => {
    if (size > maxBytes) throw refuse(`${path} has ${size} bytes, more than ${maxBytes}`)
    const { buffer, bytesRead } = await file.read({ buffer: new Uint8Array(Math.min(limit, size)), position: 0 })
    return { bytes: buffer.subarray(0, bytesRead), size }
  })
  try {
    // With `stream`, a character that the limit cuts in two is no error.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: bytes.length < size })
  } catch {
    throw refuse(`${path} is not UTF-8`)
  }
}
