/** Where the endpoints of a server are: `url` with or without a trailing `/` or `/v1`, and with any path before it. */
export const endpoint = (url: string, path: "/health" | "/props" | "/v1/models" | "/v1/chat/completions"): string =>
  `${base(url)}${path}`

/** The URL as it may be shown: without a password. */
export const shown = (url: string): string => base(url).replace(/^(\w+:\/\/)[^/@]*@/, "$1")

const base = (url: string): string =>
  url
    .trim()
    .replace(/\/+$/, "")
    .replace(/\/v1(\/chat\/completions)?$/, "")
    .replace(/\/+$/, "")
