/**
 * Stands in for Electron, so that Node can run an app's main process: `node electron.mjs MAIN`. The window's preload
 * script runs in the same process and the test is the page, over the channel that a child process has to its parent.
 */
import { EventEmitter } from "node:events"
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"

Object.defineProperty(process.versions, "electron", { value: "0.0.0" })
const report = (...message) => process.connected && process.send(message)

const handlers = new Map()
let page
let api

export const ipcMain = { handle: (channel, handler) => handlers.set(channel, handler) }
const listeners = new EventEmitter()
export const ipcRenderer = {
  invoke: async (channel, ...args) => handlers.get(channel)({ senderFrame: { url: page } }, ...structuredClone(args)),
  on: (channel, listener) => listeners.on(channel, listener)
}
export const contextBridge = {
  exposeInMainWorld: (name, exposed) => {
    api = exposed
    report("exposed", name, Object.keys(exposed))
    api.onMessage((message) => report("message", message))
  }
}

export class BrowserWindow {
  static getAllWindows = () => []
  webContents = Object.assign(new EventEmitter(), {
    send: (channel, what) => listeners.emit(channel, {}, structuredClone(what)),
    setWindowOpenHandler: (handler) => report("opens", handler({ url: "https://example.com" }).action)
  })
  #preload

  constructor({ webPreferences }) {
    const { preload, ...unsafe } = webPreferences
    if (Object.keys(unsafe).length > 0) throw new Error("the window is less safe than by default")
    this.#preload = preload
  }
  isDestroyed() {
    return false
  }
  async loadFile(path) {
    page = pathToFileURL(path).href
    createRequire(import.meta.url)(this.#preload)
    report("loaded", page.split("/").at(-1))
  }
}

const ready = Promise.withResolvers()

export const app = Object.assign(new EventEmitter(), {
  whenReady: () => ready.promise,
  quit: () => {
    let stays = false
    app.emit("before-quit", { preventDefault: () => (stays = true) })
    if (!stays) process.exit(0)
  }
})

process.on("message", async ([id, name, ...args]) => {
  if (name === "quit") return app.quit()
  if (name === "leads elsewhere") page = "https://example.com/"
  else {
    try {
      report("done", id, await api[name](...args))
    } catch (error) {
      report("failed", id, error.message)
    }
  }
})

// Electron is ready only when the app's main module has been evaluated.
void import(pathToFileURL(process.argv[2]).href).then(() => ready.resolve())
