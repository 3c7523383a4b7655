import { BlockList, isIP } from "node:net"

/** Ranges of IPv4 that are not on the public internet: first address and length of the prefix in bits. */
const special4: ReadonlyArray<readonly [string, number]> = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4]
]

/** The same for IPv6, within `global6`. */
const special6: ReadonlyArray<readonly [string, number]> = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["3fff::", 20]
]

/** Only addresses of these ranges are public: global ones, and those that carry one of IPv4 (mapped, translated). */
const global6: ReadonlyArray<readonly [string, number]> = [
  ["2000::", 3],
  ["::ffff:0:0", 96],
  ["64:ff9b::", 96]
]

const special = new BlockList()
const global = new BlockList()
for (const [first, length] of special4) {
  const [a = 0, b = 0, c = 0, d = 0] = first.split(".").map(Number)
  // A range of IPv4 contains the mapped addresses too. Translated ones end with that of IPv4, 6to4 begins with it.
  special.addSubnet(first, length)
  special.addSubnet(`64:ff9b::${first}`, 96 + length, "ipv6")
  special.addSubnet(`2002:${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}::`, 16 + length, "ipv6")
}
for (const [first, length] of special6) special.addSubnet(first, length, "ipv6")
for (const [first, length] of global6) global.addSubnet(first, length, "ipv6")

/** True if an address, IPv4 or IPv6 in the system's notation, is on the public internet. */
export const isPublic = (address: string): boolean => {
  const plain = withoutZone(address)
  if (isIP(plain) === 4) return !special.check(plain)
  return isIP(plain) === 6 && global.check(plain, "ipv6") && !special.check(plain, "ipv6")
}

/** True if `address` is in `cidr`: a range like `10.0.0.0/8`, or a single address. */
export const isInCidr = (address: string, cidr: string): boolean => {
  const plain = withoutZone(address)
  const [first = "", length] = withoutZone(cidr).split("/")
  if (isIP(plain) === 0 || isIP(plain) !== isIP(first)) return false
  const [family, bits] = isIP(plain) === 4 ? (["ipv4", 32] as const) : (["ipv6", 128] as const)
  const count = Number(length ?? bits)
  if (!Number.isInteger(count) || count < 0 || count > bits) return false
  const range = new BlockList()
  range.addSubnet(first, count, family)
  return range.check(plain, family)
}

/** A link-local address without the name of its network interface. */
const withoutZone = (address: string): string => address.replace(/%.*$/, "")
