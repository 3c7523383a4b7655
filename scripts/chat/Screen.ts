import type { EventPayload, SidecarEvent } from "../../src/protocol/Event.ts"
import { visibleLine, visibleText } from "../../src/domain/VisibleText.ts"
import { colourDiff, type Style } from "./Style.ts"

export interface ScreenOptions {
  readonly write: (text: string) => void
  readonly style: Style
  /** In characters. */
  readonly width: () => number
}

/** The conversation as it is drawn: events in, text out. */
export interface Screen {
  readonly show: (event: SidecarEvent) => void
  /** A line of our own, on a line of its own. */
  readonly say: (text: string) => void
}

const resultLines = 4

export const makeScreen = ({ write, style, width }: ScreenOptions): Screen => {
  /** What is being streamed, so that the next thing knows whether to begin a line. */
  let flow: "none" | "text" | "reasoning" = "none"
  /** The text of the reply that has streamed so far: the reply itself repeats it. */
  let streamed = ""
  /** White space at the end of what streamed: shown once something follows it. */
  let space = ""
  let progress = false

  const clearProgress = () => {
    if (progress) write("\r\u001b[K")
    progress = false
  }
  const line = (text: string) => {
    clearProgress()
    write(`${flow === "none" ? "" : "\n"}${text}\n`)
    flow = "none"
  }
  const stream = (kind: "text" | "reasoning", text: string) => {
    clearProgress()
    if (flow !== kind) {
      write(`${flow === "none" ? "" : "\n"}${kind === "reasoning" ? style.reasoning("  ~ ") : "\n"}`)
      flow = kind
      space = ""
    }
    const clean = space + visibleText(text)
    const shown = clean.trimEnd()
    space = clean.slice(shown.length)
    write(kind === "reasoning" ? style.reasoning(shown.replaceAll("\n", "\n    ")) : shown)
  }

  const callLine = ({ tool, args }: EventPayload<"tool_call_started">) =>
    `  ${style.tool(`→ ${visibleLine(tool)}`)} ${style.dim(cut(argumentsText(args), width() - tool.length - 6))}`

  const resultText = ({ tool, status, summary, batchSize }: EventPayload<"tool_call_result">) => {
    const lines = visibleText(summary).trimEnd().split("\n")
    const shown = lines.slice(0, resultLines).map((each) => cut(each, width() - 7))
    const more = lines.length - shown.length
    const mark = status === "ok" ? style.good("✓") : style.bad("✗")
    const head = batchSize === undefined ? [] : [style.tool(visibleLine(tool))]
    const body = [...head, ...shown.map(style.dim), ...(more > 0 ? [style.dim(`… ${more} more lines`)] : [])]
    return body.map((each, index) => `    ${index === 0 ? mark : " "} ${each}`).join("\n")
  }

  const reply = ({ text, attachments }: EventPayload<"assistant_reply">) => {
    if (text !== streamed) stream("text", text.startsWith(streamed) ? text.slice(streamed.length) : text)
    streamed = ""
    for (const path of attachments ?? []) line(`  ${style.tool("attached")} ${visibleLine(path)}`)
    if (flow !== "none") write("\n")
    flow = "none"
  }

  const turnEnd = ({ reason, stepCount, durationMs, usage }: EventPayload<"turn_finished">) => {
    const tokens = usage === undefined ? [] : [`${usage.promptTokens + usage.completionTokens} tokens`]
    const parts = [
      reason,
      `${stepCount} step${stepCount === 1 ? "" : "s"}`,
      ...tokens,
      `${(durationMs / 1000).toFixed(1)} s`
    ]
    line(style.dim(`  — ${parts.join(" · ")}`))
    streamed = ""
  }

  const show = (event: SidecarEvent): void => {
    switch (event.type) {
      case "user_message":
        return line(`\n${style.user("›")} ${style.strong(visibleText(event.payload.text))}`)
      case "reasoning_delta":
        return stream("reasoning", event.payload.text)
      case "assistant_delta":
        streamed += event.payload.text
        return stream("text", event.payload.text)
      case "assistant_reply":
        return reply(event.payload)
      case "tool_call_started":
        return line(callLine(event.payload))
      case "tool_call_result":
        return line(resultText(event.payload))
      case "approval_request":
        return line(approvalText(event.payload, style))
      case "steer_applied":
        return line(`  ${style.user("↪")} ${visibleText(event.payload.text)}`)
      case "steer_undelivered":
        return line(style.warn(`  not read any more: ${visibleText(event.payload.text)}`))
      case "turn_finished":
        return turnEnd(event.payload)
      case "llm_unavailable":
        return line(style.warn(`  ${visibleText(`${event.payload.error} ${event.payload.hint}`)}`))
      case "error":
        return line(style.bad(`  ${visibleText(event.payload.message)}`))
      case "llm_progress": {
        const { phase, processed, total } = event.payload
        if (flow !== "none" || phase === "generating") return
        const part = total === undefined || total === 0 ? "" : ` ${Math.round((100 * (processed ?? 0)) / total)} %`
        write(`\r\u001b[K${style.dim(phase === "loading" ? "  the model is loading" : `  reading${part}`)}`)
        progress = true
      }
    }
  }

  return { show, say: line }
}

const approvalText = (request: EventPayload<"approval_request">, style: Style): string => {
  const { tool, category, reason, preview, affectedResources } = request
  const lines = [
    `${style.warn("?")} ${[style.strong(visibleLine(tool)), style.warn(category ?? ""), visibleText(reason)].filter((text) => text !== "").join(" · ")}`,
    ...(preview === undefined
      ? []
      : colourDiff(visibleText(preview).trimEnd(), style)
          .split("\n")
          .map((each) => `  ${each}`)),
    ...(affectedResources ?? []).map((each) => style.dim(`  ${visibleText(each)}`))
  ]
  return lines.map((each) => `  ${each}`).join("\n")
}

/** `path: "a", depth: 2`. */
const argumentsText = (args: unknown): string => {
  if (typeof args !== "object" || args === null) return visibleLine(String(args))
  const parts = Object.entries(args).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  return visibleLine(parts.join(", "))
}

const cut = (text: string, width: number): string => {
  const most = Math.max(width, 20)
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}
