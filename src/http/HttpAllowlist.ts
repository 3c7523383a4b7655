import { unbracketed } from "./HostName.ts"
import { isInCidr, isPublic } from "./PublicAddress.ts"

/**
 * Whether a connection to an address may be made for a URL: a public address always, any other only if the
 * configuration names it. `http.hostAllowlist` has names (`localhost`, `*.corp.example`), both with or without a
 * port, addresses, and ranges (`10.0.0.0/8`).
 */
export const mayConnect = (url: URL, address: string, allowlist: ReadonlyArray<string>): boolean =>
  isPublic(address) || allowlist.some((entry) => names(entry, url) || isInCidr(address, unbracketed(entry)))

/** Whether it is plain from the URL alone that it is refused: nobody need be asked first. */
export const isRefusedByName = (url: URL, allowlist: ReadonlyArray<string>): boolean => {
  const host = unbracketed(url.hostname)
  const address = host === "localhost" || host.endsWith(".localhost") ? "127.0.0.1" : host
  return isAddress(address) && !mayConnect(url, address, allowlist)
}

const isAddress = (host: string): boolean => host.includes(":") || /^\d+\.\d+\.\d+\.\d+$/.test(host)

const names = (entry: string, url: URL): boolean => {
  const wanted = entry.toLowerCase()
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port
  return [url.hostname, `${url.hostname}:${port}`].some((host) =>
    wanted.startsWith("*.") ? host.endsWith(wanted.slice(1)) : host === wanted
  )
}
