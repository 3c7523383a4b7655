import * as NodePath from "node:path"

/** What is known of a script beside its path. */
export interface ScriptFacts {
  readonly platform: NodeJS.Platform
  /** It may be executed, as far as its mode says. */
  readonly isExecutable: boolean
  /** It begins with `#!`. */
  readonly hasShebang: boolean
  /** What runs a JavaScript file. */
  readonly node: ReadonlyArray<string>
}

/** The program and its first arguments that run a script; undefined where nothing says how. */
export const scriptCommand = (path: string, facts: ScriptFacts): ReadonlyArray<string> | undefined => {
  const { hasShebang, isExecutable, node, platform } = facts
  if (platform === "win32") {
    const extension = NodePath.win32.extname(path).toLowerCase()
    if (extension === ".exe") return [path]
    const program = javaScript.has(extension) ? node : windowsPrograms[extension]
    return program === undefined ? undefined : [...program, path]
  }
  // The script itself knows best.
  if (isExecutable && hasShebang) return [path]
  const extension = NodePath.posix.extname(path)
  const program = javaScript.has(extension) ? node : programs[extension]
  if (program !== undefined) return [...program, path]
  return isExecutable ? [path] : undefined
}

const javaScript = new Set([".js", ".mjs", ".cjs"])

const programs: { readonly [extension: string]: ReadonlyArray<string> } = {
  ".sh": ["/bin/sh"],
  ".bash": ["bash"],
  ".py": ["python3"],
  ".rb": ["ruby"],
  ".pl": ["perl"]
}

const windowsPrograms: { readonly [extension: string]: ReadonlyArray<string> } = {
  ".py": ["python"],
  ".ps1": ["powershell.exe", "-NoProfile", "-ExecutionPolicy", "Bypass", "-File"]
}
