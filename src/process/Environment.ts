import * as NodePath from "node:path"

/** Folders of programs, which the PATH of an app started from a desktop may lack. */
const usualPath = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin", "/opt/homebrew/bin"]

/**
 * Variables that children do not get: the sidecar's settings, the headers that let it in at a collector, and what makes
 * an Electron a Node (see `OwnNode`), which would start every app that a command opens without its window.
 */
const ownVariables = /^ATOMIC_AGENT_|^OTEL_EXPORTER_OTLP_(\w+_)?HEADERS$|^ELECTRON_RUN_AS_NODE$/i

/** The environment of a child: without the sidecar's own variables, and with the usual folders in the PATH. */
export const inherited = (): { readonly [name: string]: string | undefined } => {
  const passedOn = Object.entries(process.env).filter(([name]) => !ownVariables.test(name))
  if (process.platform === "win32") return Object.fromEntries(passedOn)
  const path = (process.env["PATH"] ?? "").split(NodePath.delimiter).filter((folder) => folder !== "")
  const PATH = [...new Set([...path, ...usualPath])].join(NodePath.delimiter)
  return { ...Object.fromEntries(passedOn), PATH }
}
