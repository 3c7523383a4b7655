// Electron's main process: it owns the sidecar, the page only asks it.
import { app, BrowserWindow, ipcMain } from "electron"
import { fileURLToPath, pathToFileURL } from "node:url"
import { SidecarHost } from "atomic-agent-sidecar/host"

const page = fileURLToPath(new URL("page.html", import.meta.url))
const preload = fileURLToPath(new URL("preload.cjs", import.meta.url))

let window
/** Sends a message to the page; there is none while no window is open, as on a Mac whose last window was closed. */
const sendToPage = (message) => {
  if (window !== undefined && !window.isDestroyed()) window.webContents.send("sidecar", message)
}

/** Answers the approval requests that wait for a person, by id. */
const approvals = new Map()
const host = SidecarHost.spawn({
  onApproval: ({ approvalId }, signal) =>
    new Promise((resolve) => {
      approvals.set(approvalId, resolve)
      signal.addEventListener("abort", () => approvals.delete(approvalId))
    })
})
host.onEvent((event) => sendToPage({ kind: "event", type: event.type, payload: event.payload }))
void host.exited.then(({ detail }) => sendToPage({ kind: "gone", detail }))

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
    const resolve = approvals.get(approvalId)
    approvals.delete(approvalId)
    resolve?.({ approved: approved === true, ...(reason ? { reason: String(reason) } : {}) })
    return resolve !== undefined
  }
}

// The page can call these commands and nothing else, and no other page can call them.
for (const [name, command] of Object.entries(commands)) {
  ipcMain.handle(`sidecar:${name}`, (event, ...args) => {
    if (event.senderFrame?.url !== pathToFileURL(page).href) throw new Error("this page may not call the sidecar")
    return command(...args)
  })
}

const open = async () => {
  window = new BrowserWindow({ width: 900, height: 700, webPreferences: { preload } })
  // A link in the model's text must not lead the window away from the page.
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
let stopped = false
app.on("before-quit", (event) => {
  if (stopped) return
  event.preventDefault()
  void host.shutdown().then(() => {
    stopped = true
    app.quit()
  })
})

// Not awaited: Electron is ready only after this module has been evaluated to its end.
void app.whenReady().then(open)
