import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Bin, StateDir } from "../support/Bin.ts"

const scripted = (dir: StateDir) => {
  const script = Path.join(dir.path, "script.json")
  Fs.writeFileSync(script, JSON.stringify({ turns: [{ steps: [{ text: "Hello." }] }] }))
  Fs.writeFileSync(Path.join(dir.path, "config.json"), JSON.stringify({ localModels: { mode: "scripted", script } }))
}

/** As `Bin.end`, which would take what stands on stderr for a fault. */
const ended = async (bin: Bin) => {
  bin.child.stdin.end()
  assert.deepStrictEqual(await bin.exited, { code: 0, signal: null })
}

describe("stdout carries frames alone", () => {
  it.each(["serve", "run"])("where an app puts %s together, and its model and its tool print", async (how) => {
    using dir = new StateDir()
    const bin = new Bin(dir, {
      command: [process.execPath, Path.join(import.meta.dirname, "noisy.ts"), how]
    })
    const sessionId = await bin.session()
    const { payload } = await bin.request("send_message", { sessionId, text: "Print." })
    assert.deepInclude(payload, { reason: "reply" })
    await ended(bin)
    assert.deepStrictEqual(bin.noise, [])
    for (const where of ["the model", "the tool"]) {
      for (const way of ["a copy of write", "stdout.write", "console.log"]) {
        assert.include(bin.stderr, `${where} by ${way}`)
      }
      assert.isTrue(
        bin.frames.some(
          (frame) =>
            frame.kind === "event" && frame.type === "log" && frame.payload.message === `${where} by Effect's logger`
        ),
        where
      )
    }
  })

  it("in lines of their own, where a preloaded module has printed half a line before", async () => {
    using dir = new StateDir()
    const bin = new Bin(dir, { env: { NODE_OPTIONS: "--import data:text/javascript,process.stdout.write('half')" } })
    assert.isTrue((await bin.request("ping")).ok)
    bin.child.stdin.end()
    await bin.exited
    assert.deepStrictEqual(bin.noise, ["half"])
  })

  it("where a preloaded module prints while the bin runs", async () => {
    using dir = new StateDir()
    scripted(dir)
    const preload = Path.join(dir.path, "preload.mjs")
    Fs.writeFileSync(
      preload,
      `const write = process.stdout.write.bind(process.stdout)
       setInterval(() => {
         write("noise by a copy\\n")
         console.log("noise by console")
       }, 1).unref()`
    )
    const bin = new Bin(dir, { env: { NODE_OPTIONS: `--import ${preload}` } })
    const sessionId = await bin.session()
    assert.deepInclude((await bin.request("send_message", { sessionId, text: "Hi." })).payload, { reason: "reply" })
    await ended(bin)
    assert.deepStrictEqual(bin.noise, [])
    assert.include(bin.stderr, "noise by a copy")
    assert.include(bin.stderr, "noise by console")
  })
})
