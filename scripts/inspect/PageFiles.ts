import * as Fs from "node:fs"
import * as Path from "node:path"
import * as esbuild from "esbuild"

export interface PageFile {
  readonly type: string
  readonly body: string
}

const folder = Path.join(import.meta.dirname, "page")

/** In the order of their rules: the later ones win. */
const styles = ["base.css", "timeline.css", "approval.css", "controls.css", "panes.css"]

/** The files of the page by name, its program bundled. */
export const pageFiles = async (): Promise<ReadonlyMap<string, PageFile>> => {
  const { outputFiles } = await esbuild.build({
    entryPoints: [Path.join(folder, "page.ts")],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    logLevel: "warning"
  })
  const text = (name: string) => Fs.readFileSync(Path.join(folder, name), "utf8")
  return new Map([
    ["", { type: "text/html; charset=utf-8", body: text("page.html") }],
    ["page.css", { type: "text/css; charset=utf-8", body: styles.map(text).join("") }],
    ["page.js", { type: "text/javascript; charset=utf-8", body: outputFiles[0]?.text ?? "" }]
  ])
}
