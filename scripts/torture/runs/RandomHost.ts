import type { Grant } from "../../../src/protocol/Grant.ts"
import type { SidecarFrame } from "../../../src/protocol/Frame.ts"
import { sentRequest } from "../../../src/testing/ResponseChecker.ts"
import type { HostAct, Places, Target, Wording } from "./HostActs.ts"
import { lastMessage, type PostedRequest } from "./HostRun.ts"

export interface RandomHostOptions {
  /** What the sidecar wrote so far, which grows. */
  readonly frames: ReadonlyArray<SidecarFrame>
  /** Writes a line to the sidecar, which ends it with LF. */
  readonly write: (line: string) => void
  readonly places: Places
  /** A longer line is a bad one, whatever stands in it. */
  readonly maxLineBytes?: number | undefined
}

/**
 * A host that plays acts over any transport, and keeps what a `RunChecker` needs to know: every request with the moment
 * it was sent, and the number of bad lines.
 */
export class RandomHost {
  readonly posted: Array<PostedRequest> = []
  /** Lines written so far that are no request. */
  badLines = 0
  /** Set once a `shutdown` was sent or the end is otherwise on its way: later requests must be refused. */
  isEnding = false
  /** Set where later requests may not be read any more. */
  mayBeUnread = false
  protected readonly frames: ReadonlyArray<SidecarFrame>
  readonly #options: RandomHostOptions
  readonly #open = new Map<string, PostedRequest>()
  readonly #sessions: Array<string> = []
  readonly #started = new Set<string>()
  readonly #queued: Array<string> = []
  readonly #approvals: Array<string> = []
  /** The widest grant that each question offers, if it offers any. */
  readonly #offered = new Map<string, Grant>()
  readonly #decided = new Set<string>()
  #isClosed = false
  #read = 0
  #texts = 0

  constructor(options: RandomHostOptions) {
    this.#options = options
    this.frames = options.frames
  }

  /** Nobody reads any more: the input was ended, or a `shutdown` is answered. */
  get isClosed(): boolean {
    this.#look()
    return this.#isClosed
  }

  /** Notes that the input ends: nothing is written from now on. */
  close(): void {
    this.isEnding = true
    this.#isClosed = true
  }

  /** Sends a request; its id. `line` is what is written in place of the plain frame. */
  post(type: string, payload: PostedRequest["payload"] = {}, id = `r${this.posted.length}`, line?: string): string {
    if (this.isClosed) return id
    const text = line ?? JSON.stringify({ kind: "request", id, type, payload })
    this.#options.write(text)
    if (Buffer.byteLength(text) > (this.#options.maxLineBytes ?? Infinity)) {
      this.badLines++
      return id
    }
    const at = this.frames.length
    const request = { ...sentRequest(id, type, payload), payload, at, isLate: this.isEnding, isLost: this.mayBeUnread }
    this.posted.push(request)
    this.#open.set(id, request)
    if (type === "shutdown") this.isEnding = true
    return id
  }

  /** Writes a line that is no request, and must be answered with an `error` event. */
  postBadLine(line: string): void {
    this.badLines++
    this.#options.write(line)
  }

  /** Decides an approval that was asked for; a host should do so once. */
  decide(approvalId: string, approved: boolean): void {
    this.#decided.add(approvalId)
    // Every third question could be answered for the whole session.
    const grant = this.#decided.size % 3 === 0 && approved ? this.#offered.get(approvalId) : undefined
    const more = grant === undefined ? {} : { grant }
    this.post("approval_response", { approvalId, approved, ...(approved ? more : { reason: "not now" }) })
  }

  /** Approves whatever is not decided yet. */
  approveAll(): void {
    this.#look()
    for (const approvalId of this.#approvals) if (!this.#decided.has(approvalId)) this.decide(approvalId, true)
  }

  /** The requests that have no response, and must get one. */
  get unanswered(): ReadonlyArray<PostedRequest> {
    this.#look()
    return [...this.#open.values()].filter(({ isLost }) => !isLost)
  }

  /** The sessions that have started, oldest first. */
  get sessions(): ReadonlyArray<string> {
    this.#look()
    return this.#sessions
  }

  /** Starts a session if there is none; once that is answered, `sendLast` can be called. */
  ensureSession(): void {
    if (this.sessions.length === 0) this.act({ do: "start", where: "good", withMetadata: false })
  }

  /** Sends the message that must get its reply, whatever was before. */
  sendLast(): void {
    this.post("send_message", { sessionId: this.#session("active"), text: lastMessage })
  }

  /** Asks for the state of every session that this host has started. */
  askStates(): void {
    this.#look()
    for (const sessionId of this.#started) this.post("get_session", { sessionId })
  }

  /** Plays an act. */
  act(act: HostAct): void {
    this.#look()
    const { places } = this.#options
    const ofSession = (type: string, to: Target) => this.post(type, { sessionId: this.#session(to) })
    switch (act.do) {
      case "send": {
        const maxSteps = act.maxSteps === null ? {} : { maxSteps: act.maxSteps }
        const text = wordings[act.text](this.#text())
        return void this.post("send_message", { sessionId: this.#session(act.to), text, ...maxSteps })
      }
      case "steer": {
        const text = act.isBlank ? " " : this.#text()
        return void this.post("steer_message", { sessionId: this.#session(act.to), text })
      }
      case "cancel":
        return void ofSession("cancel", act.to)
      case "state":
        return void ofSession("get_session", act.to)
      case "queue":
        return void ofSession("list_queue", act.to)
      case "delete":
        return void ofSession("delete_session", act.to)
      case "resume":
        return void ofSession("resume_session", act.to)
      case "start": {
        const metadata = act.withMetadata ? { metadata: { app: "random", deep: { 日: ["\u2028", null] } } } : {}
        return void this.post("start_session", { workingDir: places.workingDirs[act.where], ...metadata })
      }
      case "unqueue": {
        const turnId = this.#queued.at(-1 - act.which) ?? "t-nobody"
        return void this.post("unqueue", { sessionId: this.#session("active"), turnId })
      }
      case "approve":
        return this.decide(this.#approvals.at(-1 - act.which) ?? "a-nobody", act.approved)
      case "hello":
        return void this.post("hello", { extensions: act.extensions, client: null })
      case "ping":
        return void this.post("ping")
      case "list":
        return void this.post("list_sessions", { limit: 5 })
      case "skills":
        return void this.post("skill_list")
      case "install":
        return void this.post("skill_install", { sourcePath: `${places.skills}/${act.skill}`, force: act.force })
      case "uninstall":
        return void this.post("skill_uninstall", { name: act.skill })
    }
  }

  #session(target: Target): string {
    const { sessions } = this
    const id = target === "active" ? sessions.at(-1) : target === "old" ? sessions.at(-2) : undefined
    return id ?? "s-nobody"
  }

  /** Unique, so that a checker can follow each message and steer. */
  #text(): string {
    return `text ${this.#texts++}`
  }

  #look(): void {
    for (; this.#read < this.frames.length; this.#read++) {
      const frame = this.frames[this.#read]!
      if (frame.kind === "response") {
        const request = this.#open.get(frame.correlationId)
        this.#open.delete(frame.correlationId)
        if (request?.type === "shutdown") this.#isClosed = true
        if (request?.type === "start_session" && frame.ok) {
          this.#started.add((frame.payload as { readonly sessionId: string }).sessionId)
        }
      } else if (frame.type === "session_started") this.#sessions.push(frame.payload.sessionId)
      else if (frame.type === "turn_queued") this.#queued.push(frame.payload.turnId)
      else if (frame.type === "approval_request") {
        const { approvalId, offers = [] } = frame.payload
        this.#approvals.push(approvalId)
        const widest = offers.at(-1)
        if (widest !== undefined) this.#offered.set(approvalId, widest.grant)
      }
    }
  }
}

const wordings: { readonly [W in Wording]: (text: string) => string } = {
  plain: (text) => text,
  unicode: (text) => `${text} 日本語 العربية 👩‍👩‍👧‍👦 é \ud83d`,
  separators: (text) => `${text}\u2028\u2029\r\n\u0085\0`,
  long: (text) => `${text} ${"long ".repeat(20_000)}`
}
