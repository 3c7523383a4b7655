import * as NodePath from "node:path"

/** Folders of programs, which the PATH of an app started from a desktop may lack. */
const usualPath = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin", "/opt/homebrew/bin"]

/** Variables that children do not get: the sidecar's settings, and the headers that let it in at a collector. */
const ours = /^ATOMIC_AGENT_|^OTEL_EXPORTER_OTLP_(\w+_)?HEADERS$/i

/**
 * The environment of a child: that of this process without the sidecar's own variables, the PATH with the usual
 * folders.
 */
export const inherited = (): { readonly [name: string]: string | undefined } => {
  const own = Object.entries(process.env).filter(([name]) => !ours.test(name))
  if (process.platform === "win32") return Object.fromEntries(own)
  const path = (process.env["PATH"] ?? "").split(NodePath.delimiter).filter((folder) => folder !== "")
  const PATH = [...new Set([...path, ...usualPath])].join(NodePath.delimiter)
  return { ...Object.fromEntries(own), PATH }
}
