import type { Ranges } from "../view/Ranges.ts"

/** What the parts of the page can set off. */
export interface Actions {
  /** Whether the conversation goes on. */
  readonly live: () => boolean
  readonly post: (type: string, payload: object) => void
  readonly showFrames: (title: string, frames: Ranges) => void
}

/** Sends a request to the sidecar; what it answers comes with the frames. */
export const post = async (type: string, payload: object, complain: (text: string) => void): Promise<void> => {
  try {
    const response = await fetch("request", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ type, payload })
    })
    complain(response.ok ? "" : response.status === 409 ? "The sidecar is gone." : `Not sent: ${response.status}`)
  } catch {
    complain("The inspector is gone.")
  }
}
