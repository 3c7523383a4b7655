import { spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import type { Readable, Writable } from "node:stream"

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]

/** Where a Chromium lies: what CHROMIUM names, else what is on the PATH; undefined where there is none. */
export const findChromium = (env: NodeJS.ProcessEnv): string | undefined => {
  if (env["CHROMIUM"] !== undefined) return env["CHROMIUM"]
  const folders = (env["PATH"] ?? "").split(Path.delimiter)
  return folders.flatMap((folder) => names.map((name) => Path.join(folder, name))).find((path) => Fs.existsSync(path))
}

export interface PageSize {
  readonly width: number
  readonly height: number
  /** Pixels of the picture for each of the page. */
  readonly scale?: number
  readonly theme?: "light" | "dark"
}

const flags = [
  "--headless",
  "--remote-debugging-pipe",
  "--no-first-run",
  "--disable-gpu",
  "--disable-quic",
  "--disable-sync",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-dev-shm-usage",
  "--hide-scrollbars",
  "--lang=en"
]

/** How long a browser may take for anything, in milliseconds: a hang becomes a failure that says what for. */
const patienceMs = 20_000

/** A headless Chromium with one page, driven over a pipe by its DevTools protocol. */
export class Browser implements AsyncDisposable {
  /** What the page complained of: uncaught errors, refused loads, console errors. */
  readonly complaints: Array<string> = []
  readonly #profile = Fs.mkdtempSync(Path.join(Os.tmpdir(), "inspect-browser-"))
  readonly #child
  readonly #write: (text: string) => void
  readonly #waiting = new Map<number, { resolve: (result: any) => void; reject: (error: Error) => void }>()
  readonly #gone: Promise<unknown>
  #calls = 0
  #session: string | undefined
  #onLoad = () => {}

  /** Starts a Chromium and opens a page in it. */
  static async open(chromium: string, url: string, size: PageSize): Promise<Browser> {
    const browser = new Browser(chromium)
    try {
      await browser.#begin(size)
      await browser.load(url)
      return browser
    } catch (error) {
      await browser[Symbol.asyncDispose]()
      throw error
    }
  }

  private constructor(chromium: string) {
    // Chromium refuses to run its sandbox as root; nothing is opened here but our own page.
    const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : []
    this.#child = spawn(chromium, [...flags, ...asRoot, `--user-data-dir=${this.#profile}`, "about:blank"], {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
      detached: process.platform !== "win32"
    })
    this.#gone = once(this.#child, "exit").catch(() => {})
    this.#child.once("error", (error) => this.#fail(error))
    void this.#gone.then(() => this.#fail(new Error("the browser is gone")))
    const [input, output] = [this.#child.stdio[3] as Writable, this.#child.stdio[4] as Readable]
    input.on("error", () => {})
    this.#write = (text) => void input.write(`${text}\0`)
    let rest = ""
    output.setEncoding("utf8").on("data", (text: string) => {
      const messages = (rest + text).split("\0")
      rest = messages.pop() ?? ""
      for (const message of messages) this.#receive(JSON.parse(message))
    })
  }

  async load(url: string): Promise<void> {
    const loaded = new Promise<void>((resolve) => (this.#onLoad = resolve))
    await this.#call("Page.navigate", { url })
    await this.#soon(`the page ${url}`, loaded)
  }

  /** The value of an expression in the page; of what a promise settles to, if it is one. */
  async evaluate<A>(expression: string): Promise<A> {
    const { exceptionDetails, result } = await this.#call("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true
    })
    if (exceptionDetails === undefined) return result.value
    throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`)
  }

  /** Waits until an expression is true of the page, and looks each time that the page changes. */
  async until(expression: string): Promise<void> {
    const watch = `new Promise((resolve) => {
      const look = () => { if (${expression}) { observer.disconnect(); resolve() } }
      const observer = new MutationObserver(look)
      observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
      look()
    })`
    await this.evaluate(watch).catch(async (error: Error) => {
      const shown = await this.evaluate<string>("document.body.innerText").catch(() => "")
      throw new Error(`${error.message}\nthe page shows:\n${shown}`)
    })
  }

  /** Types a text where the focus is. */
  async type(text: string): Promise<void> {
    await this.#call("Input.insertText", { text })
  }

  /** Presses a key, such as `Enter` or `ArrowDown`. */
  async press(key: string, modifiers: { readonly ctrl?: boolean } = {}): Promise<void> {
    const code = { Enter: 13, Escape: 27, Tab: 9, ArrowDown: 40, ArrowUp: 38 }[key] ?? 0
    const event = { key, code: key, windowsVirtualKeyCode: code, modifiers: modifiers.ctrl === true ? 2 : 0 }
    const text = key === "Enter" ? { text: "\r" } : {}
    await this.#call("Input.dispatchKeyEvent", { type: "keyDown", ...event, ...text })
    await this.#call("Input.dispatchKeyEvent", { type: "keyUp", ...event })
  }

  async showAs(theme: "light" | "dark"): Promise<void> {
    await this.#call("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: theme }] })
  }

  /** A picture of the page, as PNG. */
  async screenshot(): Promise<Buffer> {
    const { data } = await this.#call("Page.captureScreenshot", { format: "png" })
    return Buffer.from(data, "base64")
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      process.kill(process.platform === "win32" ? this.#child.pid! : -this.#child.pid!, "SIGKILL")
    } catch {
      // It is gone already, or never was.
    }
    if (this.#child.pid !== undefined) await this.#gone
    // Its helpers may still be writing there.
    Fs.rmSync(this.#profile, { recursive: true, force: true, maxRetries: 20 })
  }

  async #begin({ height, scale = 1, theme = "light", width }: PageSize): Promise<void> {
    const { targetInfos } = await this.#call("Target.getTargets", {})
    const target = targetInfos.find(({ type }: { type: string }) => type === "page")
    const { sessionId } = await this.#call("Target.attachToTarget", { targetId: target.targetId, flatten: true })
    this.#session = sessionId
    for (const domain of ["Page", "Runtime", "Log"]) await this.#call(`${domain}.enable`, {})
    await this.#call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: scale, mobile: false })
    await this.showAs(theme)
  }

  #call(method: string, params: object): Promise<any> {
    this.#calls += 1
    const id = this.#calls
    const answer = new Promise<any>((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
    const session = this.#session === undefined ? {} : { sessionId: this.#session }
    this.#write(JSON.stringify({ id, method, params, ...session }))
    return this.#soon(`${method} ${JSON.stringify(params).slice(0, 300)}`, answer)
  }

  #receive({ error, id, method, params, result }: any): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error !== undefined) waiting?.reject(new Error(error.message))
    else waiting?.resolve(result)
    if (method === "Page.loadEventFired") this.#onLoad()
    if (method === "Runtime.exceptionThrown") this.complaints.push(params.exceptionDetails.exception?.description)
    if (method === "Log.entryAdded" && params.entry.level === "error") this.complaints.push(params.entry.text)
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }

  async #soon<A>(what: string, answer: Promise<A>): Promise<A> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`the browser did not answer: ${what}`)), patienceMs)
    })
    return Promise.race([answer, late]).finally(() => clearTimeout(timer))
  }
}
