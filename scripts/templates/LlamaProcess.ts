import { spawn } from "node:child_process"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { setTimeout } from "node:timers/promises"

/** A llama-server with a model and, in place of the model's own, this chat template. */
export interface LlamaProcess {
  readonly url: string
  stop(): void
}

/** Starts a server and waits until it has loaded, ten seconds at most. */
export const start = async (command: string, model: string, template: string): Promise<LlamaProcess> => {
  const port = await freePort()
  const args = [
    "-m",
    model,
    "--host",
    "127.0.0.1",
    "--port",
    `${port}`,
    "-t",
    "1",
    "-np",
    "1",
    "-c",
    "131072",
    "--jinja"
  ]
  const child = spawn(command, [...args, "--chat-template-file", template], { stdio: ["ignore", "ignore", "pipe"] })
  let words = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (words = (words + text).slice(-2000)))
  child.once("error", (error) => (words += error.message))
  const stop = () => void child.kill("SIGKILL")
  process.once("exit", stop)
  child.once("exit", () => process.off("exit", stop))
  const url = `http://127.0.0.1:${port}`
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
