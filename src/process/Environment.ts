import * as NodePath from "node:path"
import { isOwnVariable } from "../domain/OwnVariables.ts"

/** Folders of programs, which the PATH of an app started from a desktop may lack. */
const usualPath = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin", "/opt/homebrew/bin"]

/**
 * The environment of a child: with the usual folders in the PATH, and without the sidecar's own variables and the one that
 * makes an Electron a Node (see `OwnNode`), which would start every app that a command opens without its window.
 */
export const inherited = (): { readonly [name: string]: string | undefined } => {
  const passedOn = Object.entries(process.env).filter(
    ([name]) => !isOwnVariable(name) && !/^ELECTRON_RUN_AS_NODE$/i.test(name)
  )
  if (process.platform === "win32") return Object.fromEntries(passedOn)
  const path = (process.env["PATH"] ?? "").split(NodePath.delimiter).filter((folder) => folder !== "")
  const PATH = [...new Set([...path, ...usualPath])].join(NodePath.delimiter)
  return { ...Object.fromEntries(passedOn), PATH }
}
