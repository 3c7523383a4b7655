import { limits, type Span } from "./View.ts"

/** `7 ms`, `1.2 s`, `3 min 05 s`. */
export const duration = (ms: number | undefined): string => {
  if (ms === undefined) return ""
  const whole = Math.max(0, Math.round(ms))
  if (whole < 1000) return `${whole} ms`
  if (whole < 59_950) return `${(whole / 1000).toFixed(1)} s`
  const seconds = Math.round(whole / 1000)
  const rest = String(seconds % 60).padStart(2, "0")
  return seconds < 3600
    ? `${Math.floor(seconds / 60)} min ${rest} s`
    : `${Math.floor(seconds / 3600)} h ${String(Math.floor(seconds / 60) % 60).padStart(2, "0")} min`
}

/** How long it took, or takes so far. */
export const elapsed = ({ at, endedAt }: Span, now: number | undefined): number | undefined => {
  const end = endedAt ?? now
  return at === undefined || end === undefined ? undefined : Math.max(0, end - at)
}

/** `12,345`, whatever the machine's language. */
export const count = (number: number): string => String(number).replace(/\B(?=(\d{3})+$)/g, ",")

export const plural = (number: number, word: string): string => `${count(number)} ${word}${number === 1 ? "" : "s"}`

/** Where a part lies in a whole, both in percent; undefined where the times are not known. */
export const place = (
  whole: Span,
  part: Span,
  now: number | undefined
): { readonly left: number; readonly width: number } | undefined => {
  const all = elapsed(whole, now)
  const own = elapsed(part, whole.endedAt ?? now)
  if (all === undefined || own === undefined || whole.at === undefined || part.at === undefined || all === 0) {
    return undefined
  }
  const left = clamp(((part.at - whole.at) / all) * 100, 0, 100)
  return { left, width: clamp((own / all) * 100, 0, 100 - left) }
}

/** `path: "a", depth: 2`; what is no object, as JSON or as it stands. */
export const argumentsText = (args: unknown): string => {
  if (typeof args === "string") return cut(args)
  if (typeof args !== "object" || args === null || Array.isArray(args)) return cut(JSON.stringify(args) ?? "")
  return cut(
    Object.entries(args)
      .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
      .join(", ")
  )
}

export const cut = (text: string, most: number = limits.short): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text

const clamp = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most)
