import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"

/** A fresh state directory with this `config.json`, deleted when it is disposed. */
export class StateDir {
  readonly path = Fs.mkdtempSync(Path.join(Os.tmpdir(), "sidecar-state-"))

  constructor(config: object = {}) {
    Fs.writeFileSync(Path.join(this.path, "config.json"), JSON.stringify(config))
  }

  [Symbol.dispose](): void {
    Fs.rmSync(this.path, { recursive: true, force: true })
  }
}
