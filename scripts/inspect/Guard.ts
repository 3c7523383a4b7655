/** What of an HTTP request decides whether it is answered. */
export interface Asked {
  readonly method: string
  readonly host: string | undefined
  readonly origin: string | undefined
  readonly site: string | undefined
  readonly contentType: string | undefined
  /** With the token in front. */
  readonly path: string
}

/**
 * The status with which to refuse; undefined for what may be answered.
 *
 * The inspector drives an agent, so no other page may reach it. It listens on loopback alone. A name that somebody
 * points at 127.0.0.1 is not our host. The token in the path is what a page of another origin cannot know, and what
 * another user of the machine cannot guess. A request that changes something must come from our own page.
 */
export const refusal = (asked: Asked, own: { readonly port: number; readonly token: string }): number | undefined => {
  const hosts = [`127.0.0.1:${own.port}`, `localhost:${own.port}`]
  if (asked.host === undefined || !hosts.includes(asked.host)) return 421
  if (!asked.path.startsWith(`/${own.token}/`)) return 404
  if (asked.site !== undefined && !["same-origin", "none"].includes(asked.site)) return 403
  if (asked.origin !== undefined && asked.origin !== `http://${asked.host}`) return 403
  if (asked.method === "GET") return undefined
  if (asked.method !== "POST") return 405
  if (asked.origin === undefined) return 403
  return asked.contentType === "application/json" ? undefined : 415
}
