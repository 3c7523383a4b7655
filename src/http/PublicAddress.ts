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

/** The same for IPv6 within `2000::/3`. Outside of that only addresses that carry a public IPv4 address are public. */
const special6: ReadonlyArray<readonly [string, number]> = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["3fff::", 20]
]

/** True if an address, IPv4 or IPv6 in the system's notation, is on the public internet. */
export const isPublic = (address: string): boolean => {
  const bits = toBits(address)
  if (bits === undefined) return false
  if (bits.length === 32) return !special4.some((range) => isInRange(bits, range))
  const carried = carriedIPv4(bits)
  if (carried !== undefined) return isPublic(carried)
  return bits.startsWith("001") && !special6.some((range) => isInRange(bits, range))
}

/** True if `address` is in `cidr`: a range like `10.0.0.0/8`, or a single address. */
export const isInCidr = (address: string, cidr: string): boolean => {
  const [first = "", length] = cidr.split("/")
  const bits = toBits(address)
  const prefix = toBits(first)
  if (bits === undefined || prefix === undefined || bits.length !== prefix.length) return false
  const count = length === undefined ? prefix.length : Number(length)
  return Number.isInteger(count) && count >= 0 && count <= prefix.length && isInRange(bits, [first, count])
}

const isInRange = (bits: string, [first, length]: readonly [string, number]): boolean =>
  bits.slice(0, length) === toBits(first)?.slice(0, length)

/** The IPv4 address that an IPv6 one carries: mapped (`::ffff:`), translated (`64:ff9b::`) or tunnelled (`2002:`). */
const carriedIPv4 = (bits: string): string | undefined => {
  const in4 = (from: number) =>
    [0, 8, 16, 24].map((at) => Number.parseInt(bits.slice(from + at, from + at + 8), 2)).join(".")
  if (isInRange(bits, ["::ffff:0:0", 96]) || isInRange(bits, ["64:ff9b::", 96])) return in4(96)
  return isInRange(bits, ["2002::", 16]) ? in4(16) : undefined
}

/** The address as 32 or 128 characters `0` and `1`; undefined if it is not an address. */
const toBits = (address: string): string | undefined => {
  const plain = address.replace(/%.*$/, "")
  if (!plain.includes(":")) return bits4(plain)
  // The last 32 bits of an IPv6 address may be in IPv4 notation.
  const last = plain.slice(plain.lastIndexOf(":") + 1)
  const tail = last.includes(".") ? bits4(last) : ""
  if (tail === undefined) return undefined
  const head = tail === "" ? plain : plain.slice(0, plain.lastIndexOf(":") + 1).replace(/([^:]):$/, "$1")
  const [before = "", after] = head.split("::")
  const groups = (text: string) => text.split(":").filter((group) => group !== "")
  const [left, right] = [groups(before), groups(after ?? "")]
  if (![...left, ...right].every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined
  const toBinary = (all: ReadonlyArray<string>) =>
    all.map((group) => Number.parseInt(group, 16).toString(2).padStart(16, "0")).join("")
  const known = toBinary(left).length + toBinary(right).length + tail.length
  if (after === undefined ? known !== 128 : known > 128) return undefined
  return toBinary(left) + "0".repeat(128 - known) + toBinary(right) + tail
}

const bits4 = (address: string): string | undefined => {
  const parts = address.split(".")
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)) return undefined
  return parts.map((part) => Number(part).toString(2).padStart(8, "0")).join("")
}
