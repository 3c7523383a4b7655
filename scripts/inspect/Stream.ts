import type { ServerResponse } from "node:http"
import type { History } from "./History.ts"

/** How much is put into one message, in characters. */
const batchSize = 256 * 1024

export interface StreamOptions {
  /** The number of the last entry that the page has. */
  readonly after: number
  readonly live: () => boolean
}

/**
 * Tells a page what is kept, then everything that comes, as server-sent events. A page that does not read is not
 * written to: what the history lets go of meanwhile it misses, and sees the gap in the numbers.
 */
export const streamTo = (response: ServerResponse, history: History, { after, live }: StreamOptions) => {
  let sent = after
  let due = false
  let lastLive: boolean | undefined

  const pump = (): void => {
    due = false
    while (!response.writableNeedDrain && !response.destroyed) {
      const { last, texts } = history.after(sent, batchSize)
      if (texts.length === 0) {
        if (lastLive !== live()) {
          lastLive = live()
          response.write(`event: live\ndata: ${lastLive}\n\n`)
        }
        return
      }
      sent = last
      response.write(`id: ${last}\ndata: [${texts.join(",")}]\n\n`)
    }
  }
  const soon = () => {
    if (due) return
    due = true
    setImmediate(pump)
  }

  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" })
  response.on("drain", pump)
  const deaf = history.onAdd(soon)
  response.once("close", deaf)
  pump()
  return { tellEnd: soon, close: () => void response.destroy() }
}
