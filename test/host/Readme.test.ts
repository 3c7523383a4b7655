import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Script } from "../../src/llama/Script.ts"
import { root, StateDir } from "../support/Bin.ts"

const readme = () => Fs.readFileSync(Path.join(root, "README.md"), "utf8")

/** The code below `<!-- run: NAME -->`, exactly as it stands there. */
const codeOf = (name: string): string => {
  const [, code] = new RegExp(`<!-- run: ${name} -->\n\`\`\`js\n([^]*?)\n\`\`\`\n`).exec(readme()) ?? []
  if (code === undefined) throw new Error(`README.md has no code marked ${name}`)
  return code
}

/** A program of a user who has installed the package, in a folder of their own. */
class Program implements Disposable {
  readonly #dir = new StateDir()
  readonly #child: ChildProcessWithoutNullStreams
  readonly closed: Promise<ReadonlyArray<unknown>>
  output = ""
  #read = 0
  #wake = () => {}

  constructor(code: string, script: Script) {
    const put = (path: string, text: string) => Fs.writeFileSync(this.#file(path), text)
    put("config.json", JSON.stringify({ localModels: { mode: "scripted", script: this.#file("script.json") } }))
    put("script.json", JSON.stringify(script))
    put("program.mjs", code)
    Fs.mkdirSync(this.#file("node_modules"))
    Fs.symlinkSync(root, this.#file("node_modules/atomic-agent-sidecar"), "junction")
    this.#child = spawn(process.execPath, ["program.mjs"], {
      cwd: this.#dir.path,
      env: { ...process.env, ATOMIC_AGENT_STATE_DIR: this.#dir.path }
    })
    this.#child.stdout.setEncoding("utf8").on("data", (text: string) => this.#append(text))
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => this.#append(text))
    this.closed = once(this.#child, "close")
    void this.closed.then(() => this.#wake())
  }

  /** Waits until it has printed the text, after the text that was waited for before. */
  async prints(text: string): Promise<void> {
    for (;;) {
      const at = this.output.indexOf(text, this.#read)
      if (at !== -1) {
        this.#read = at + text.length
        return
      }
      if (this.#child.exitCode !== null) throw new Error(`it ended without printing ${text}:\n${this.output}`)
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  types(text: string): void {
    this.#child.stdin.write(text)
  }

  interrupt(): void {
    this.#child.kill("SIGINT")
  }

  leave(): void {
    this.#child.stdin.end()
  }

  read(path: string): string {
    return Fs.readFileSync(this.#file(path), "utf8")
  }

  [Symbol.dispose](): void {
    this.#child.kill("SIGKILL")
    this.#dir[Symbol.dispose]()
  }

  #append(text: string): void {
    this.output += text
    this.#wake()
  }

  #file(path: string): string {
    return Path.join(this.#dir.path, path)
  }
}

const linesOf = (name: string) => codeOf(name).split("\n").length

describe("the README's hosts", () => {
  it("are short", () => {
    assert.isAtMost(linesOf("minimal-host"), 20)
    assert.isAtMost(linesOf("conversation"), 30)
  })

  it("the minimal one holds a turn and is gone", async () => {
    using program = new Program(codeOf("minimal-host"), {
      turns: [
        {
          steps: [
            { text: "Let me look.", toolCalls: [{ name: "fs.list", arguments: { path: "." } }] },
            { text: "A program, 你好." }
          ]
        }
      ]
    })
    const [code, signal] = await program.closed
    assert.deepStrictEqual(
      { code, signal, output: program.output },
      { code: 0, signal: null, output: "Let me look.\nA program, 你好.\n(reply)\n" }
    )
  })

  it("the minimal one prints why a turn failed", async () => {
    using program = new Program(codeOf("minimal-host"), {
      turns: [{ steps: [{ failure: { kind: "Rejected", status: 401, message: "the key is wrong" } }] }]
    })
    const [code, signal] = await program.closed
    assert.deepStrictEqual({ code, signal }, { code: 0, signal: null })
    assert.match(program.output, /^\(failed: .*the key is wrong.*\)\n$/)
  })

  it("the longer one loses nothing of what was typed before it was ready, as where its input is a file", async () => {
    const answers = (text: string) => ({ when: { userTextIncludes: text }, steps: [{ text: `${text}? Yes.` }] })
    using program = new Program(codeOf("conversation"), { turns: [answers("one"), answers("two")] })
    program.types("one\ntwo\n")
    program.leave()
    const [code] = await program.closed
    assert.deepStrictEqual(
      { code, output: program.output },
      { code: 0, output: "› one? Yes.\n\n(reply)\n› two? Yes.\n\n(reply)\n› " }
    )
  })

  it("the longer one asks a person, takes a no, cancels a turn, and leaves when they do", async () => {
    const write = (path: string) => ({ name: "fs.write", arguments: { path, content: "hello\n" } })
    const asks = (path: string) => ({ when: { userTextIncludes: path }, steps: [{ toolCalls: [write(path)] }] })
    using program = new Program(codeOf("conversation"), {
      turns: [
        asks("yes.txt"),
        asks("no.txt"),
        { when: { userTextIncludes: "wait" }, steps: [{ text: "Once upon a time", hang: true }] },
        { when: { userTextIncludes: "fail" }, steps: [{ failure: { kind: "Cut", message: "the line is dead" } }] }
      ],
      otherwise: { text: "Never mind." }
    })
    await program.prints("› ")
    program.types("write yes.txt\n")
    await program.prints("fs.write: ")
    await program.prints("+hello")
    await program.prints("Allow it? [y/N] ")
    program.types("y\n")
    await program.prints("Never mind.\n\n(reply)\n› ")
    assert.strictEqual(program.read("yes.txt"), "hello\n")

    program.types("write no.txt\n")
    await program.prints("Allow it? [y/N] ")
    program.types("not there\n")
    await program.prints("Never mind.\n\n(reply)\n› ")
    assert.throws(() => program.read("no.txt"), /ENOENT/)

    program.types("write no.txt\n")
    await program.prints("Allow it? [y/N] ")
    program.interrupt()
    await program.prints("(cancelled)\n› ")

    program.types("wait\n")
    await program.prints("Once upon a time")
    program.interrupt()
    await program.prints("(cancelled)\n› ")

    program.types("fail\n")
    await program.prints("the line is dead")
    await program.prints(")\n› ")
    program.leave()
    assert.deepStrictEqual((await program.closed)[0], 0, program.output)
  })
})
