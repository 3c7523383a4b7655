import { spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { buildBin } from "./Bin.ts"

describe("the bundled bin", () => {
  const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "bin-"))
  const outdir = Path.join(folder, "dist")
  const outfile = Path.join(outdir, "main.js")

  beforeAll(async () => {
    const entry = Path.join(folder, "main.ts")
    Fs.writeFileSync(
      entry,
      `import { basename } from "node:path"
import * as Fs from "node:fs"
import { access } from "node:fs/promises"
import * as Promises from "node:fs/promises"
const explode = (): never => { throw new Error("boom") }
if (process.env["DO"] === "explode") explode()
void access("/").then(() => console.log(basename("/a/b"), typeof Fs.readFileSync, Promises.constants.R_OK))
`
    )
    await buildBin({ entry, outdir })
    Fs.rmSync(entry)
    const [early, later] = [Path.join(folder, "early.ts"), Path.join(folder, "later.ts")]
    Fs.writeFileSync(
      Path.join(folder, "shared.ts"),
      `export const shared = { is: "shared" }\nexport const name = "theirs"`
    )
    Fs.writeFileSync(
      later,
      `import { name as theirs, shared } from "./shared.ts"
console.log("loaded")
export const name = "own"
export const say = (other: object) => [name, theirs, shared === other]
export const explode = () => { throw new Error("boom") }
`
    )
    Fs.writeFileSync(
      early,
      `import { name, shared } from "./shared.ts"
const load = async () => {
  const first = await import("./later.ts")
  console.log(...first.say(shared), first === (await import("./later.ts")))
  if (process.env["DO"] === "explode") first.explode()
}
console.log(name)
if (process.env["DO"] !== undefined) void load()
`
    )
    await buildBin({ entry: early, outdir: Path.join(folder, "split") })
    for (const name of ["early", "later", "shared"]) Fs.rmSync(Path.join(folder, `${name}.ts`))
  })
  afterAll(() => Fs.rmSync(folder, { recursive: true }))

  const run = (args: ReadonlyArray<string>, act?: string) => {
    const env = { PATH: process.env["PATH"], HOME: folder, ...(act && { DO: act }) }
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", cwd: Os.tmpdir(), env })
    return { status, stdout, stderr }
  }

  it("runs alone, with what it takes from Node", () => {
    assert.deepStrictEqual(run([outfile]), { status: 0, stdout: "b function 4\n", stderr: "" })
  })

  it("runs in a folder of its own, or in a package of either kind", () => {
    for (const type of [undefined, "module", "commonjs"]) {
      const copy = Path.join(folder, `copy-${type}`)
      Fs.cpSync(outdir, Path.join(copy, "sidecar"), { recursive: true })
      if (type !== undefined) Fs.writeFileSync(Path.join(copy, "package.json"), JSON.stringify({ type }))
      assert.deepStrictEqual(run([Path.join(copy, "sidecar/main.js")]), run([outfile]))
    }
  })

  it("runs through a symbolic link, as npm makes one", () => {
    const link = Path.join(folder, "linked")
    Fs.symlinkSync(outfile, link)
    assert.deepStrictEqual(run([link]), run([outfile]))
  })

  it("names the line of the source in a stack, by its map", () => {
    assert.match(run(["--enable-source-maps", outfile], "explode").stderr, /at explode .*main\.ts:5:/)
  })

  it("keeps the names of functions without its map", () => {
    assert.match(run([outfile], "explode").stderr, /at explode .*program\.cjs:/)
  })

  it("says in one line that the Node is too old, and exits 78 before anything else runs", () => {
    const old = `Object.defineProperty(process, "versions", { value: { node: "22.18.0" } }); delete process.getBuiltinModule`
    const result = run(["--import", `data:text/javascript,${encodeURIComponent(old)}`, outfile])
    assert.deepStrictEqual(result, {
      status: 78,
      stdout: "",
      stderr: "atomic-agent-sidecar needs Node.js 22.19 or newer, this is 22.18.0\n"
    })
  })

  it("begins with an executable of a few lines that every Node can read", () => {
    const text = Fs.readFileSync(outfile, "utf8")
    assert.match(text, /^#!\/usr\/bin\/env node\n/)
    assert.isBelow(text.split("\n").length, 15)
    assert.notMatch(text, /\b(import|export|async|await)\b|\?\?|\?\.|=>/)
    if (process.platform !== "win32") assert.strictEqual(Fs.statSync(outfile).mode & 0o111, 0o111)
  })

  describe("of which a part is imported when it is needed", () => {
    const split = Path.join(folder, "split/main.js")

    it("does not evaluate that part before", () => {
      assert.deepStrictEqual(run([split]), { status: 0, stdout: "theirs\n", stderr: "" })
    })

    it("evaluates it once, with the very modules that the program has, and names of its own", () => {
      assert.strictEqual(run([split], "load").stdout, "theirs\nloaded\nown theirs true true\n")
    })

    it("names the line of its source in a stack", () => {
      assert.match(run(["--enable-source-maps", split], "explode").stderr, /at .*explode .*later\.ts:5:/)
    })
  })
})
