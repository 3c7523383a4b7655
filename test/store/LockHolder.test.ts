import { assert, describe, it } from "@effect/vitest"
import { holderIn } from "../../src/store/LockHolder.ts"

const locks = `1: POSIX  ADVISORY  READ 11 fe:00:100 124 124
2: POSIX  ADVISORY  WRITE 12 fe:00:200 120 120
2: -> POSIX  ADVISORY  WRITE 13 fe:00:100 120 120
3: POSIX  ADVISORY  WRITE 0 fe:00:300 0 EOF
4: FLOCK  ADVISORY  WRITE 14 fe:00:400 0 EOF
5: POSIX  ADVISORY  WRITE 15 fe:00:100 120 120
`

describe("LockHolder", () => {
  it.each([
    ["who writes, not who reads or waits", 100, 15],
    ["who writes to this file, not to another", 200, 12],
    ["nobody in another container", 300, undefined],
    ["who locks the whole file", 400, 14],
    ["nobody where there is no lock", 500, undefined]
  ])("finds %s", (_, inode, pid) => {
    assert.strictEqual(holderIn(locks, new Set([undefined, inode])), pid)
  })
})
