/** The shortest piece of a secret that must not be shown, in characters. */
const fragmentLength = 8

/** What of a secret a text shows, as it is or once what a terminal does not show is left out: pieces of 8 characters. */
export const fragmentsIn = (text: string, secret: string): ReadonlyArray<string> => {
  // oxlint-disable-next-line no-control-regex
  const shown = text.replaceAll(/\u001b\[[0-9;]*m|[\0-\u0008\n-\u001f]/g, "")
  const fragments = Array.from({ length: Math.max(0, secret.length - fragmentLength + 1) }, (_, from) =>
    secret.slice(from, from + fragmentLength)
  )
  return fragments.filter((fragment) => text.includes(fragment) || shown.includes(fragment))
}

/** All texts in a value of JSON, keys too. */
export const textsOf = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, each]) => [key, ...textsOf(each)])
}
