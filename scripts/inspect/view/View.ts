import type { Ranges } from "./Ranges.ts"

/** When something began and ended, in milliseconds since the epoch; either may not be known, or not be yet. */
export interface Span {
  readonly at?: number | undefined
  readonly endedAt?: number | undefined
}

interface Shown extends Span {
  /** Tells it from its neighbours for as long as it is there. */
  readonly key: string
  /** The frames that it is made of. */
  readonly frames: Ranges
}

/** A text that may have been too long to be kept whole. */
export interface LongText {
  readonly text: string
  /** How many characters are not kept. */
  readonly more: number
}

export interface Approval extends Span {
  readonly approvalId: string
  readonly category: string | undefined
  readonly reason: string
  readonly preview: string | undefined
  readonly resources: ReadonlyArray<string>
  readonly outcome: "approved" | "denied" | "withdrawn" | undefined
  /** What the person said to it. */
  readonly note: string | undefined
}

export interface StepRow extends Shown {
  readonly kind: "step"
  readonly index: number
  readonly done: boolean
  readonly durationMs: number | undefined
  readonly tokens: number | undefined
  readonly promptTokens: number | undefined
  readonly cacheReused: boolean
  /** What the server does before its first word. */
  readonly progress: string | undefined
}

export interface TextRow extends Shown, LongText {
  readonly kind: "thinking" | "text" | "note" | "reply"
  readonly done: boolean
  readonly attachments: ReadonlyArray<string>
}

export interface CallRow extends Shown {
  readonly kind: "call"
  readonly callId: string
  readonly tool: string
  readonly args: string
  readonly status: "ok" | "error" | undefined
  readonly summary: LongText
  readonly truncated: boolean
  readonly approval: Approval | undefined
}

export interface SteerRow extends Shown {
  readonly kind: "steer"
  readonly text: string
  readonly state: "sent" | "accepted" | "refused" | "applied" | "undelivered"
}

export interface ErrorRow extends Shown {
  readonly kind: "error"
  readonly text: string
}

export type Row = StepRow | TextRow | CallRow | SteerRow | ErrorRow

export interface TurnBlock extends Shown {
  readonly kind: "turn"
  readonly turnId: string
  readonly sessionId: string
  readonly index: number | undefined
  readonly message: LongText
  readonly rows: ReadonlyArray<Row>
  /** How many rows were too many. */
  readonly forgotten: number
  readonly reason: string | undefined
  readonly stepCount: number | undefined
  readonly durationMs: number | undefined
  readonly tokens: number | undefined
}

/** A request that is no part of a turn, and what came of it. */
export interface RequestBlock extends Shown {
  readonly kind: "request"
  readonly id: string
  readonly type: string
  readonly asked: string
  readonly ok: boolean | undefined
  readonly answer: string
}

/** An event that is no part of a turn. */
export interface NoticeBlock extends Shown {
  readonly kind: "notice"
  readonly level: "info" | "warn" | "error"
  readonly title: string
  readonly detail: LongText
}

export type Block = TurnBlock | RequestBlock | NoticeBlock

/** A request that has no answer yet. */
export interface Pending {
  readonly id: string
  readonly type: string
  readonly number: number
  readonly at: number | undefined
  /** What it asks for, where that is told once it is answered. */
  readonly text: string
  readonly sessionId: string | undefined
  /** The turn of a `send_message` that has begun, or the approval that is answered. */
  readonly of: string | undefined
  readonly approved: boolean | undefined
}

/** A conversation as it is shown. */
export interface View {
  /** The number of the last frame that is in it. */
  readonly last: number
  /** How many frames never reached it. */
  readonly missed: number
  readonly sessionId: string | undefined
  readonly workingDir: string | undefined
  readonly model: string | undefined
  readonly blocks: ReadonlyArray<Block>
  /** How many blocks were too many. */
  readonly forgotten: number
  readonly pending: ReadonlyArray<Pending>
}

export const empty: View = {
  last: 0,
  missed: 0,
  sessionId: undefined,
  workingDir: undefined,
  model: undefined,
  blocks: [],
  forgotten: 0,
  pending: []
}

/** What is kept: beyond it the oldest go, so that a page may stay open for as long as it likes. */
export const limits = { blocks: 300, rows: 1000, pending: 1000, text: 200_000, short: 4000 }

export const longText = (text: string, most: number = limits.text): LongText => ({
  text: text.length > most ? text.slice(0, most) : text,
  more: Math.max(0, text.length - most)
})

/** The turn that is being played, if one is. */
export const running = (view: View): TurnBlock | undefined =>
  view.blocks.findLast((block): block is TurnBlock => block.kind === "turn" && block.reason === undefined)

/** The messages that wait for their turn. */
export const queued = (view: View): ReadonlyArray<Pending> =>
  view.pending.filter(({ of, type }) => type === "send_message" && of === undefined)

/** The calls that wait for a person, in order. */
export const asking = (view: View): ReadonlyArray<CallRow> =>
  view.blocks.flatMap((block) =>
    block.kind === "turn" && block.reason === undefined
      ? block.rows.filter((row): row is CallRow => row.kind === "call" && isOpen(row.approval))
      : []
  )

export const isOpen = (approval: Approval | undefined): approval is Approval =>
  approval !== undefined && approval.outcome === undefined
