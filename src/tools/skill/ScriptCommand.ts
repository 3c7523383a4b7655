import * as NodePath from "node:path"

/** Facts about a script file. */
export interface ScriptFacts {
  readonly platform: NodeJS.Platform
  /** True if its mode allows to execute it. */
  readonly isExecutable: boolean
  /** True if it begins with `#!`. */
  readonly hasShebang: boolean
  /** The command that runs a JavaScript file. */
  readonly node: ReadonlyArray<string>
}

/** The command that runs a script; undefined if neither its mode nor its name tells. */
export const scriptCommand = (path: string, facts: ScriptFacts): ReadonlyArray<string> | undefined => {
  const { hasShebang, isExecutable, node, platform } = facts
  if (platform === "win32") {
    const extension = NodePath.win32.extname(path).toLowerCase()
    if (extension === ".exe") return [path]
    const program = javaScript.has(extension) ? node : windowsPrograms[extension]
    return program === undefined ? undefined : [...program, path]
  }
  // The shebang takes precedence.
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
