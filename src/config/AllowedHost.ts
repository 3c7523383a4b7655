import * as Schema from "effect/Schema"

/**
 * One entry of `http.hostAllowlist` (docs/configuration.md): a host name, `*.` and a name, or an IP address, each with
 * or without a port, or a range of addresses (`10.0.0.0/8`). An entry that no request could match is refused: `*`, a
 * URL, a name that URLs spell in another way (`127.1`, `bücher.example`).
 */
export const allowedHost = Schema.String.check(
  Schema.makeFilter((entry) => canMatch(entry), {
    expected: "a host name, *.NAME, an address, any of them with :PORT, or a range such as 10.0.0.0/8"
  })
)

const canMatch = (entry: string): boolean => {
  const [, first, length] = /^([^/]*)\/(\d{1,3})$/.exec(entry) ?? []
  if (first !== undefined) return isIPv4(first) ? Number(length) <= 32 : isIPv6(first) && Number(length) <= 128
  if (isIPv6(entry.replace(/^\[(.*)\]$/, "$1"))) return true
  const [, host = "", port] = /^(\[.*\]|[^:]*)(?::(\d{1,5}))?$/.exec(entry) ?? []
  return (
    isHost(host.replace(/^\*\.(?=.)/, "any.")) && (port === undefined || (Number(port) > 0 && Number(port) < 65_536))
  )
}

/** True if this can be the `hostname` of a URL, in upper or lower case. */
const isHost = (text: string): boolean => {
  const url = URL.parse(`http://${text}/`)
  return url !== null && text !== "" && url.hostname === text.toLowerCase() && !text.includes("*")
}

const isIPv4 = (text: string): boolean => /^\d+(\.\d+){3}$/.test(text) && isHost(text)

const isIPv6 = (text: string): boolean => text.includes(":") && URL.canParse(`http://[${text}]/`)
