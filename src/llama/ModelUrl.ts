/** The URL of an endpoint. `url` may end with `/`, `/v1` or `/v1/chat/completions`, and may have a path before that. */
export const endpoint = (url: string, path: Endpoint): string => `${base(url)}${path}`

export type Endpoint = "/health" | "/props" | "/v1/models" | "/api/v0/models" | "/v1/chat/completions"

/** The server's URL for display: without user name and password, which may contain `@` itself. */
export const shown = (url: string): string => base(url).replace(/^(\w+:\/\/)[^/]*@/, "$1")

const base = (url: string): string =>
  url
    .trim()
    .replace(/\/+$/, "")
    .replace(/\/v1(\/chat\/completions)?$/, "")
    .replace(/\/+$/, "")
