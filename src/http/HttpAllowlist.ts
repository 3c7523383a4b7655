import { unbracketed } from "./HostName.ts"
import { isInCidr, isPublic } from "./PublicAddress.ts"

/**
 * True if a request to `url` may connect to `address`, which its host was resolved to: a public address always, any
 * other only if `allowlist` names the host, its address or its range (runtime, Tools). Entries are
 * `http.hostAllowlist`: host names (`localhost`, `*.corp.example`), each with or without a port, addresses, and ranges
 * (`10.0.0.0/8`).
 */
export const mayConnect = (url: URL, address: string, allowlist: ReadonlyArray<string>): boolean =>
  isPublic(address) || allowlist.some((entry) => matchesHost(entry, url) || isInCidr(address, unbracketed(entry)))

/** True if the URL alone shows that {@link mayConnect} refuses it, so that no approval has to be requested first. */
export const isRefusedByName = (url: URL, allowlist: ReadonlyArray<string>): boolean => {
  const host = unbracketed(url.hostname)
  const address = host === "localhost" || host.endsWith(".localhost") ? "127.0.0.1" : host
  return isAddress(address) && !mayConnect(url, address, allowlist)
}

const isAddress = (host: string): boolean => host.includes(":") || /^\d+\.\d+\.\d+\.\d+$/.test(host)

const matchesHost = (entry: string, url: URL): boolean => {
  const wanted = entry.toLowerCase()
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port
  return [url.hostname, `${url.hostname}:${port}`].some((host) =>
    wanted.startsWith("*.") ? host.endsWith(wanted.slice(1)) : host === wanted
  )
}
