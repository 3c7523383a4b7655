import { queued, running, type View } from "../view/View.ts"
import { byId, element } from "./Element.ts"

export interface ComposerOptions {
  readonly view: () => View
  readonly post: (type: string, payload: object) => void
}

/** Where a person writes: send, steer, cancel. */
export const composer = ({ post, view }: ComposerOptions) => {
  const [foot, waiting] = [byId("composer"), byId("waiting")]
  const message = byId("message") as HTMLTextAreaElement
  const [send, steer, cancel] = ["send", "steer", "cancel"].map((id) => byId(id) as HTMLButtonElement)

  const say = (type: "send_message" | "steer_message") => {
    const text = message.value
    const { sessionId } = view()
    if (text.trim() === "" || sessionId === undefined) return
    post(type, { sessionId, text })
    message.value = ""
    grow()
    message.focus()
  }
  const stop = () => {
    const { sessionId } = view()
    if (sessionId !== undefined) post("cancel", { sessionId })
  }
  const grow = () => {
    message.rows = Math.min(8, message.value.split("\n").length)
  }

  message.addEventListener("input", grow)
  message.addEventListener("keydown", (event) => {
    if (event.isComposing || event.key !== "Enter" || event.shiftKey) return
    event.preventDefault()
    if (!event.ctrlKey && !event.metaKey) say("send_message")
    else if (running(view()) !== undefined) say("steer_message")
  })
  foot.querySelector("form")?.addEventListener("submit", (event) => {
    event.preventDefault()
    say("send_message")
  })
  steer?.addEventListener("click", () => say("steer_message"))
  cancel?.addEventListener("click", stop)

  const update = (live: boolean): void => {
    const now = view()
    const ready = now.sessionId !== undefined
    const busy = running(now) !== undefined || queued(now).length > 0
    const isFirst = live && ready && message.disabled
    foot.hidden = !live
    message.disabled = !ready
    if (isFirst && document.activeElement === document.body) message.focus()
    if (send !== undefined) send.disabled = !ready
    if (steer !== undefined) steer.disabled = running(now) === undefined
    if (cancel !== undefined) cancel.disabled = !busy
    const texts = queued(now).map(({ text }) => text)
    waiting.replaceChildren(...texts.map((text) => element("span", "pill", `Waits: ${text}`)))
  }
  return { update, stop }
}
