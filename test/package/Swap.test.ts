import { spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Bin, root, StateDir } from "../support/Bin.ts"
import { PackedProject } from "./PackedProject.ts"

/** The card of the product: each can be replaced by whoever has the package alone. */
const concerns = [
  "approval gate",
  "llama client",
  "request router",
  "session actor",
  "stdin decoder",
  "stdout sink",
  "turn queue"
]

describe("a package outside that swaps each of the seven concerns", () => {
  let packed: PackedProject
  let program: string
  beforeAll(() => {
    packed = new PackedProject()
    packed.add("effect", "@effect", "@types", "typescript")
    program = Path.join(packed.path, "swap.mts")
    Fs.copyFileSync(Path.join(import.meta.dirname, "swap.mts"), program)
  })
  afterAll(() => packed[Symbol.dispose]())

  it("compiles against the package's own types", () => {
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024", "--skipLibCheck"]
    const types = ["--types", "node", "--lib", "es2024,esnext.disposable"]
    const tsc = Path.join(root, "node_modules/typescript/lib/tsc.js")
    const { status, stdout } = spawnSync(process.execPath, [tsc, ...options, ...types, program], {
      cwd: packed.path,
      encoding: "utf8"
    })
    assert.deepStrictEqual({ status, stdout }, { status: 0, stdout: "" })
  })

  it("has its own used over TestHost", () => {
    const { status, stderr } = spawnSync(process.execPath, [program, "test"], { cwd: packed.path, encoding: "utf8" })
    assert.strictEqual(status, 0, stderr)
    assert.deepStrictEqual(JSON.parse(stderr), concerns)
  })

  it("has its own used over run, on a real pipe", async () => {
    using dir = new StateDir()
    const bin = new Bin(dir, { command: [process.execPath, program, "run"], cwd: packed.path })
    const sessionId = await bin.session()
    const { payload } = await bin.request("send_message", { sessionId, text: "Act." })
    assert.deepInclude(payload, { reason: "reply", stepCount: 2 })
    bin.child.stdin.end()
    assert.deepStrictEqual(await bin.exited, { code: 0, signal: null })
    assert.deepStrictEqual(bin.noise, [])
    assert.deepStrictEqual(JSON.parse(bin.stderr), concerns)
  })
})
