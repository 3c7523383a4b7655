/**
 * `npm run screenshot`: makes the README's pictures of the inspector, light and dark, with a headless Chromium: a turn
 * that has looked around, and asks before it writes.
 */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { Browser, findChromium } from "./inspect/Browser.ts"
import { message, placeDemo } from "./inspect/Demo.ts"
import { startInspector } from "./inspect/Inspector.ts"

const bin = Path.resolve(import.meta.dirname, "../dist/sidecar/main.js")
const size = { width: 1120, height: 1060, scale: 1.25 }

const shoot = async (chromium: string): Promise<void> => {
  const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "inspect-"))
  const options = { mode: "live", url: undefined, record: undefined, port: 0, ...placeDemo(folder) } as const
  const inspector = await startInspector(options, bin, { ...process.env, HOME: folder })
  try {
    await using browser = await Browser.open(chromium, inspector.url, size)
    await browser.until(`document.activeElement === document.getElementById("message")`)
    await browser.type(message)
    await browser.press("Enter")
    await browser.until(`document.querySelector(".approval.open") !== null`)
    for (const theme of ["light", "dark"] as const) {
      await browser.showAs(theme)
      const file = Path.join(import.meta.dirname, `inspect/screenshot-${theme}.png`)
      Fs.writeFileSync(file, await browser.screenshot())
      console.log(Path.relative(process.cwd(), file))
    }
  } finally {
    await inspector.close()
    Fs.rmSync(folder, { recursive: true, force: true })
  }
}

const chromium = findChromium(process.env)
if (chromium === undefined) {
  console.error("no Chromium on the PATH; CHROMIUM names one that lies elsewhere")
  process.exitCode = 1
} else await shoot(chromium)
