import { spawn } from "node:child_process"
import { once } from "node:events"

/** Runs a program to its end and answers what it wrote to stdout; throws with what it wrote where it failed. */
export const run = async (command: string, args: ReadonlyArray<string>, env = process.env): Promise<string> => {
  // npm is a script on Windows.
  const shell = process.platform === "win32" && command === "npm"
  const child = spawn(command, args, { env, shell, stdio: ["ignore", "pipe", "pipe"] })
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
  const [code] = await once(child, "close")
  if (code === 0) return stdout
  throw new Error(`${command} ${args.join(" ")} ended with ${code}: ${(stderr || stdout).trim()}`)
}
