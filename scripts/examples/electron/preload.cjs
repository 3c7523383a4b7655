// The whole interface of the page to the main process.
const { contextBridge, ipcRenderer } = require("electron")

const command =
  (name) =>
  (...args) =>
    ipcRenderer.invoke(`sidecar:${name}`, ...args)

contextBridge.exposeInMainWorld("sidecar", {
  start: command("start"),
  send: command("send"),
  cancel: command("cancel"),
  answer: command("answer"),
  onMessage: (listener) => ipcRenderer.on("sidecar", (_event, message) => listener(message))
})
