import type { SidecarFrame } from "../../src/protocol/Frame.ts"
import { approvalsIn, queuedIn, sessionsIn } from "../races/Seen.ts"
import { Draw } from "./Draw.ts"
import { extensions } from "../races/Acts.ts"
import type { HostAct, Whom, Words } from "./HostActs.ts"
import type { Scene } from "./Scene.ts"

/** The acts that are a request of the protocol. */
export type RequestAct = Exclude<
  HostAct,
  {
    do: "bad" | "blank" | "odd" | "stall" | "sleep" | "lock" | "corrupt" | "idle" | "close stderr" | `server ${string}`
  }
>

type Frames = ReadonlyArray<SidecarFrame>

/** The session that a host holds for the active one. */
export const activeIn = (frames: Frames): string => sessionsIn(frames).at(-1) ?? "s-nobody"

/** An act as a request of a host that has seen so many frames; `text` is a new one each time. */
export const requestOf = (
  act: RequestAct,
  frames: Frames,
  scene: Scene,
  text: () => string
): { readonly type: string; readonly payload: { readonly [key: string]: unknown } } => {
  const sessionOf = (whom: Whom) =>
    whom === "active" ? activeIn(frames) : ((whom === "old" ? sessionsIn(frames).at(-2) : undefined) ?? "s-nobody")
  const ofSession = (type: string, to: Whom) => ({ type, payload: { sessionId: sessionOf(to) } })
  switch (act.do) {
    case "send": {
      const maxSteps = act.maxSteps === null ? {} : { maxSteps: act.maxSteps }
      const payload = { sessionId: sessionOf(act.to), text: inWords(act.text, text()), ...maxSteps }
      return { type: "send_message", payload }
    }
    case "steer":
      return { type: "steer_message", payload: { sessionId: sessionOf(act.to), text: act.isBlank ? " " : text() } }
    case "cancel":
      return ofSession("cancel", act.to)
    case "state":
      return ofSession("get_session", act.to)
    case "queue":
      return ofSession("list_queue", act.to)
    case "delete":
      return ofSession("delete_session", act.to)
    case "resume":
      return ofSession("resume_session", act.to)
    case "start": {
      const places = { work: scene.work, relative: "small/work", nowhere: "/no/where", file: `${scene.work}/a.txt` }
      const metadata = act.withMetadata ? { metadata: { app: "torture", deep: { 日: ["\u2028", null] } } } : {}
      return { type: "start_session", payload: { workingDir: places[act.where], ...metadata } }
    }
    case "unqueue": {
      const turnId = queuedIn(frames).at(-1 - act.which) ?? "t-nobody"
      return { type: "unqueue", payload: { sessionId: activeIn(frames), turnId } }
    }
    case "answer": {
      const approvalId = approvalsIn(frames).at(-1 - act.which) ?? "a-nobody"
      return { type: "approval_response", payload: { approvalId, approved: act.which === 1 } }
    }
    case "hello":
      return {
        type: "hello",
        payload: { extensions: new Draw(act.seed).some(extensions, act.share), client: null }
      }
    case "ping":
      return { type: "ping", payload: {} }
    case "list":
      return { type: "list_sessions", payload: { limit: 5 } }
    case "skills":
      return { type: "skill_list", payload: {} }
    case "install":
      return { type: "skill_install", payload: { sourcePath: `${scene.skills}/${act.what}`, force: act.force } }
    case "uninstall":
      return { type: "skill_uninstall", payload: { name: act.name } }
  }
}

const inWords = (words: Words, text: string): string => {
  switch (words) {
    case "plain":
      return text
    case "unicode":
      return `${text} 日本語 العربية 👩‍👩‍👧‍👦 é \ud83d`
    case "separators":
      return `${text}\u2028\u2029\r\n\u0085\0`
    case "long":
      return `${text} ${"long ".repeat(20_000)}`
  }
}
