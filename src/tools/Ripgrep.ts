import { constants } from "node:fs"
import { access, stat } from "node:fs/promises"
import * as NodePath from "node:path"
import { pathMatcher } from "./fs/FsGlob.ts"
import { GrepReport, type GrepRequest, maxFileBytes, maxShownLine } from "./fs/GrepReport.ts"
import { neverEntered } from "../files/TreeWalk.ts"

/** More of a line than this, in characters, is never held. */
const maxHeld = 64 * 1024

/** Ripgrep on the PATH, but not one that the working directory brings along. */
export const findRipgrep = async (path: string, workingDir: string): Promise<string | undefined> => {
  const name = process.platform === "win32" ? "rg.exe" : "rg"
  for (const folder of path.split(NodePath.delimiter)) {
    if (!NodePath.isAbsolute(folder) || !NodePath.relative(workingDir, folder).startsWith("..")) continue
    const binary = NodePath.join(folder, name)
    try {
      await access(binary, constants.X_OK)
      if ((await stat(binary)).isFile()) return binary
    } catch {
      continue
    }
  }
  return undefined
}

/** The same search by ripgrep; undefined where it could not do it, for its regular expressions know less than ours. */
export const ripgrep = (binary: string, request: GrepRequest, signal: AbortSignal): Promise<GrepReport | undefined> =>
  new Promise((resolve, reject) => {
    const report = new GrepReport(request)
    const child = process.getBuiltinModule("node:child_process").spawn(binary, ripgrepArguments(request), {
      cwd: request.root,
      env: { SystemRoot: process.env["SystemRoot"] },
      stdio: ["ignore", "pipe", "ignore"]
    })
    // Not ripgrep's own globs: those bring back what a .gitignore hides.
    const isWanted = request.glob === undefined || request.file !== undefined ? () => true : pathMatcher(request.glob)
    let rest = ""
    const abort = () => {
      child.kill("SIGKILL")
      reject(signal.reason)
    }
    signal.addEventListener("abort", abort, { once: true })
    child.stdout.setEncoding("utf8")
    child.stdout.on("data", (text: string) => {
      const lines = (rest + text).split("\n")
      rest = (lines.pop() ?? "").slice(0, maxHeld)
      for (const line of lines) take(report, request, isWanted, line)
      if (report.isFull) child.kill("SIGKILL")
    })
    child.on("error", () => resolve(undefined))
    child.on("close", (code) => {
      signal.removeEventListener("abort", abort)
      // 0: matches, 1: none, 2: something went wrong, perhaps only with one of the files.
      resolve(code === 2 && report.matches === 0 ? undefined : report)
    })
  })

export const ripgrepArguments = ({ context, file, ignoreCase, limit, pattern }: GrepRequest): ReadonlyArray<string> => {
  const args = [
    "--no-config --no-messages --color=never --no-heading --with-filename --line-number --null",
    "--hidden --no-require-git --no-ignore-global --no-ignore-dot --no-ignore-exclude --sort=path",
    `--max-columns=${maxShownLine} --max-columns-preview --max-filesize=${maxFileBytes}`,
    `--max-count=${limit} --context=${context}`
  ].flatMap((line) => line.split(" "))
  if (ignoreCase === true) args.push("--ignore-case")
  for (const name of neverEntered) args.push(`--glob=!${name}`)
  return [...args, `--regexp=${pattern}`, "--", file === undefined ? "." : `./${file}`]
}

/** `path`, NUL, line number, `:` or `-`, text. */
const take = (
  report: GrepReport,
  { context }: GrepRequest,
  isWanted: (path: string) => boolean,
  line: string
): void => {
  const parts = /^(?:\.[/\\])?([^\0]*)\0(\d+)([:-])(.*)$/s.exec(line)
  if (parts === null) return
  const [, name = "", number = "", mark, text = ""] = parts
  const path = name.replaceAll(NodePath.sep, "/")
  const isMatch = mark === ":"
  if (!isWanted(path) || (report.isFull && (isMatch || context === 0))) return
  report.add(path, Number(number), text, isMatch)
}
