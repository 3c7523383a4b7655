import { assert, describe, it } from "@effect/vitest"
import { isRefusedByName, mayConnect } from "../../src/http/HttpAllowlist.ts"
import { isInCidr, isPublic } from "../../src/http/PublicAddress.ts"

const open = [
  "1.1.1.1",
  "8.8.8.8",
  "93.184.216.34",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.1.1",
  "100.63.1.1",
  "2606:4700:4700::1111",
  "2a00:1450:4001::200e",
  "::ffff:8.8.8.8",
  "64:ff9b::808:808",
  "2002:808:808::1"
]

const shut = [
  "127.0.0.1",
  "127.255.255.254",
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "169.254.169.254",
  "100.64.0.1",
  "192.0.0.1",
  "192.0.2.1",
  "198.18.0.1",
  "198.51.100.7",
  "203.0.113.9",
  "224.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "fc00::1",
  "fd12:3456:789a::1",
  "ff02::1",
  "2001:db8::1",
  "2001::1",
  "100::1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:10.0.0.1",
  "::127.0.0.1",
  "64:ff9b::127.0.0.1",
  "64:ff9b::a00:1",
  "64:ff9b:1::1",
  "2002:7f00:1::",
  "2002:c0a8:101::1",
  "0:0:0:0:0:0:0:1",
  "0000:0000:0000:0000:0000:0000:0000:0001",
  "not an address",
  "1.2.3",
  "1.2.3.4.5",
  "256.1.1.1",
  "1::2::3",
  "1:2:3:4:5:6:7:8:9",
  "g::1",
  ""
]

describe("an address", () => {
  it.each(open)("%s is public", (address) => assert.isTrue(isPublic(address)))
  it.each(shut)("%s is not", (address) => assert.isFalse(isPublic(address)))

  it("lies in a range, or does not", () => {
    assert.isTrue(isInCidr("10.1.2.3", "10.0.0.0/8"))
    assert.isTrue(isInCidr("10.1.2.3", "10.1.2.3"))
    assert.isTrue(isInCidr("10.1.2.3", "0.0.0.0/0"))
    assert.isTrue(isInCidr("fd00::5", "fd00::/16"))
    assert.isTrue(isInCidr("::1", "0:0::1"))
    for (const range of [
      "10.0.0.0/16",
      "10.1.2.4",
      "fd00::/8",
      "10.0.0.0/x",
      "10.0.0.0/-1",
      "10.0.0.0/33",
      "",
      "name"
    ]) {
      assert.isFalse(isInCidr("10.1.2.3", range), range)
    }
  })
})

describe("a host", () => {
  const private4 = "10.0.0.5"
  const may = (url: string, allowlist: ReadonlyArray<string>) => mayConnect(new URL(url), private4, allowlist)

  it("may be at a private address only if the configuration names it", () => {
    assert.isFalse(may("http://intra.example/", []))
    assert.isTrue(mayConnect(new URL("http://intra.example/"), "8.8.8.8", []))
    assert.isTrue(may("http://intra.example/", ["intra.example"]))
    assert.isTrue(may("http://INTRA.example/", ["Intra.Example"]))
    assert.isTrue(may("http://intra.example:8080/", ["intra.example"]))
    assert.isTrue(may("http://intra.example:8080/", ["intra.example:8080"]))
    assert.isFalse(may("http://intra.example:8081/", ["intra.example:8080"]))
    assert.isTrue(may("https://intra.example/", ["intra.example:443"]))
    assert.isTrue(may("http://a.intra.example/", ["*.intra.example"]))
    assert.isFalse(may("http://evil-intra.example/", ["*.intra.example"]))
    assert.isFalse(may("http://intra.example.evil/", ["intra.example"]))
    assert.isTrue(may("http://any.example/", ["10.0.0.0/8"]))
    assert.isTrue(may("http://any.example/", ["10.0.0.5"]))
    assert.isFalse(may("http://any.example/", ["10.0.0.6", "*"]))
  })

  it("is refused without a question where its name alone says that it is private, however that is written", () => {
    const names = [
      "http://localhost/",
      "http://LOCALHOST:80/",
      "http://x.localhost/",
      "http://127.0.0.1/",
      "http://127.1/",
      "http://2130706433/",
      "http://0x7f.0.0.1/",
      "http://0177.0.0.1/",
      "http://[::1]/",
      "http://[::ffff:127.0.0.1]/",
      "http://169.254.169.254/latest/meta-data",
      "http://0/",
      "http://127。0。0。1/"
    ]
    for (const name of names) assert.isTrue(isRefusedByName(new URL(name), []), name)
    for (const name of ["http://example.com/", "http://8.8.8.8/", "http://localhost.example/"]) {
      assert.isFalse(isRefusedByName(new URL(name), []), name)
    }
    assert.isFalse(isRefusedByName(new URL("http://localhost:3000/"), ["localhost:3000"]))
    assert.isFalse(isRefusedByName(new URL("http://[::1]:3000/"), ["::1"]))
  })
})
