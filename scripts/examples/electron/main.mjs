// Electron's main process: it owns the sidecar, the page only asks it.
import { app, BrowserWindow, ipcMain } from "electron"
import { fileURLToPath, pathToFileURL } from "node:url"
import { SidecarHost } from "atomic-agent-sidecar/host"

const page = fileURLToPath(new URL("page.html", import.meta.url))
const preload = fileURLToPath(new URL("preload.cjs", import.meta.url))

/** What is told while there is no window, such as on a Mac whose last one was closed, is told to nobody. */
let window
const tell = (what) => {
  if (window !== undefined && !window.isDestroyed()) window.webContents.send("sidecar", what)
}

/** The questions that wait for a person, by id. */
const questions = new Map()
const host = SidecarHost.spawn({
  onApproval: ({ approvalId }, signal) =>
    new Promise((resolve) => {
      questions.set(approvalId, resolve)
      signal.addEventListener("abort", () => questions.delete(approvalId))
    })
})
host.onEvent((event) => tell({ kind: "event", type: event.type, payload: event.payload }))
void host.exited.then(({ detail }) => tell({ kind: "gone", detail }))

let session
let turn
const commands = {
  /** Begins a session in a folder. */
  start: async (workingDir) => {
    session = (await host.request("start_session", { workingDir: String(workingDir) })).sessionId
  },
  /** Sends a message; resolves when its turn is over. */
  send: (text) => {
    turn = new AbortController()
    return host.send(session, String(text), { signal: turn.signal }).result
  },
  cancel: () => turn?.abort(),
  answer: (approvalId, approved, reason) => {
    const resolve = questions.get(approvalId)
    questions.delete(approvalId)
    resolve?.({ approved: approved === true, ...(reason ? { reason: String(reason) } : {}) })
    return resolve !== undefined
  }
}

// The page gets these commands and nothing else, and nothing but our page gets them.
for (const [name, command] of Object.entries(commands)) {
  ipcMain.handle(`sidecar:${name}`, (event, ...args) => {
    if (event.senderFrame?.url !== pathToFileURL(page).href) throw new Error("not our page")
    return command(...args)
  })
}

const open = async () => {
  window = new BrowserWindow({ width: 900, height: 700, webPreferences: { preload } })
  // What a model says may hold links; they must not lead our window away.
  window.webContents.setWindowOpenHandler(() => ({ action: "deny" }))
  window.webContents.on("will-navigate", (event) => event.preventDefault())
  await window.loadFile(page)
}

app.on("window-all-closed", () => {
  if (process.platform !== "darwin") app.quit()
})
app.on("activate", () => {
  if (BrowserWindow.getAllWindows().length === 0) void open()
})

// The app waits until the sidecar has closed its database; never for longer than six seconds.
let left = false
app.on("before-quit", (event) => {
  if (left) return
  event.preventDefault()
  void host.shutdown().then(() => {
    left = true
    app.quit()
  })
})

await app.whenReady()
await open()
