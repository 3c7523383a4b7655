import { spawn } from "node:child_process"
import * as Fs from "node:fs"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import * as Path from "node:path"
import { setTimeout } from "node:timers/promises"

/** A real llama-server on this machine, a model for it, and a folder of chat templates. */
export interface Installation {
  readonly command: string
  readonly model: string
  readonly templates: string
}

/** A llama-server that runs. */
export interface RealLlamaServer {
  readonly url: string
  stop(): void
}

/**
 * Looks for a server: as the options say, else as `LLAMA_SERVER` says, else `llama-server/llama-server` beside the checkout,
 * whose folder is `root`. The model is the only `.gguf` in the server's folder, the templates are in `templates` there or beside it.
 * A text says what is missing.
 */
export const find = (
  root: string,
  options: { readonly server?: string; readonly model?: string; readonly templates?: string } = {}
): Installation | string => {
  const beside = Path.join(root, "../llama-server/llama-server")
  const command = options.server ?? process.env["LLAMA_SERVER"] ?? beside
  if (!Fs.existsSync(command)) return `no llama-server at ${command}: LLAMA_SERVER names one`
  const folder = Path.dirname(command)
  const models = Fs.readdirSync(folder).filter((name) => name.endsWith(".gguf"))
  const model = options.model ?? (models.length === 1 ? Path.join(folder, models[0]!) : undefined)
  if (model === undefined || !Fs.existsSync(model)) return `no single .gguf beside ${command}`
  const templates = [Path.join(folder, "templates"), Path.join(folder, "../templates")]
  return {
    command,
    model,
    templates: options.templates ?? templates.find((path) => Fs.existsSync(path)) ?? templates[0]!
  }
}

/** Starts a server, with this file as its chat template, and waits until it has loaded: ten seconds at most. */
export const start = async ({ command, model }: Installation, template?: string): Promise<RealLlamaServer> => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = spawn(
    command,
    ["-m", model, "--host", "127.0.0.1", "--port", `${port}`, "-t", "1", "-np", "1", "-c", "32768", "--jinja"].concat(
      template === undefined ? [] : ["--chat-template-file", template]
    ),
    { stdio: ["ignore", "ignore", "pipe"] }
  )
  let words = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (words = (words + text).slice(-2000)))
  child.once("error", (error) => (words += error.message))
  const stop = () => void child.kill("SIGKILL")
  process.once("exit", stop)
  child.once("exit", () => process.off("exit", stop))
  for (let waited = 0; waited < 10_000 && child.exitCode === null; waited += 25) {
    const response = await fetch(`${url}/health`).catch(() => undefined)
    if (response?.ok === true) return { url, stop }
    await setTimeout(25)
  }
  stop()
  throw new Error(`${command} does not start: ${words}`)
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
