import * as NodePath from "node:path"

/** Where programs are, even if the app that started us did not say. */
const usualPath = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin", "/opt/homebrew/bin"]

/** What is ours alone: our settings, and what we show to a collector to be let in. */
const ours = /^ATOMIC_AGENT_|^OTEL_EXPORTER_OTLP_(\w+_)?HEADERS$/i

/** What a child gets of our environment: all but what is ours alone, and a PATH that holds the usual places too. */
export const inherited = (): { readonly [name: string]: string | undefined } => {
  const own = Object.entries(process.env).filter(([name]) => !ours.test(name))
  if (process.platform === "win32") return Object.fromEntries(own)
  const path = (process.env["PATH"] ?? "").split(NodePath.delimiter).filter((folder) => folder !== "")
  const PATH = [...new Set([...path, ...usualPath])].join(NodePath.delimiter)
  return { ...Object.fromEntries(own), PATH }
}
