/** The host of a URL as sockets and addresses know it: IPv6 without its brackets. */
export const unbracketed = (host: string): string => host.replace(/^\[(.*)\]$/, "$1")
