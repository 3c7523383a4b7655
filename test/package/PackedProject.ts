import { spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { assert } from "@effect/vitest"
import packageJson from "../../package.json" with { type: "json" }
import { root } from "../support/Bin.ts"

/** An empty project into which the packed tarball of this package is installed, without a network. */
export class PackedProject implements Disposable {
  readonly #folder = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "package-")))
  readonly path = Path.join(this.#folder, "project")
  readonly modules = Path.join(this.path, "node_modules")
  /** Where the package is installed. */
  readonly installed = Path.join(this.modules, "atomic-agent-sidecar")
  readonly install: { readonly status: number | null; readonly stderr: string }

  constructor() {
    Fs.mkdirSync(this.path)
    Fs.writeFileSync(Path.join(this.path, "package.json"), JSON.stringify({ private: true, type: "module" }))
    const packed = this.#npm(["pack", "--ignore-scripts", "--pack-destination", this.#folder], root)
    assert.strictEqual(packed.status, 0, packed.stderr)
    const tarball = Path.join(this.#folder, `atomic-agent-sidecar-${packageJson.version}.tgz`)
    this.install = this.#npm(["install", "--offline", "--no-audit", "--no-fund", tarball], this.path)
  }

  /** Puts packages beside ours that an embedder would have installed too. */
  add(...names: ReadonlyArray<string>): void {
    for (const name of names) {
      Fs.symlinkSync(Path.join(root, "node_modules", name), Path.join(this.modules, name), "junction")
    }
  }

  [Symbol.dispose](): void {
    Fs.rmSync(this.#folder, { recursive: true, force: true })
  }

  #npm(args: ReadonlyArray<string>, cwd: string) {
    const env = { PATH: process.env["PATH"], HOME: this.#folder }
    return spawnSync("npm", args, { cwd, env, encoding: "utf8", shell: process.platform === "win32" })
  }
}
