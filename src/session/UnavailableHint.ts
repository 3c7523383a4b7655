import type { ServerState } from "../llama/LlamaClient.ts"

/** The `hint` of `llm_unavailable` for a server that we do not run. */
export const unavailableHint = ({ detail = "", url }: ServerState, stateDir: string): string => {
  const other = `or name another one: localModels.url in ${stateDir}/config.json, or the environment variable ATOMIC_AGENT_LLAMA_URL.`
  return url.startsWith("https:") && /certificate|altnames/i.test(detail)
    ? `Name the file of the authority that signed the server's certificate in the environment variable NODE_EXTRA_CA_CERTS, ${other}`
    : `Start a server there (llama-server -m model.gguf --port ${new URL(url).port || "8080"}), ${other}`
}
