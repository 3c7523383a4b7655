// All that the page can reach.
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
  onTold: (listener) => ipcRenderer.on("sidecar", (_event, what) => listener(what))
})
