/** The host of a URL in the form that sockets take: an IPv6 address without its brackets. */
export const unbracketed = (host: string): string => host.replace(/^\[(.*)\]$/, "$1")
