/** The protocol, from the side of the page: requests with their answers, and events. */
export const connect = async ({ Channel, invoke }, onEvent, onGone) => {
  const waiting = new Map()
  const lines = new Channel((line) => {
    if (line === null) {
      for (const { reject } of waiting.values()) reject(new Error("the sidecar is gone"))
      waiting.clear()
      return onGone()
    }
    const frame = JSON.parse(line)
    if (frame.kind === "event") return onEvent(frame)
    const { reject, resolve } = waiting.get(frame.correlationId) ?? {}
    waiting.delete(frame.correlationId)
    return frame.ok ? resolve?.(frame.payload) : reject?.(new Error(frame.error.message))
  })
  await invoke("sidecar_start", { onLine: lines })
  return (type, payload = {}) =>
    new Promise((resolve, reject) => {
      const id = crypto.randomUUID()
      waiting.set(id, { resolve, reject })
      invoke("sidecar_send", { frame: JSON.stringify({ kind: "request", id, type, payload }) }).catch((why) => {
        waiting.delete(id)
        reject(new Error(why))
      })
    })
}
