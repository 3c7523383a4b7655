/**
 * `npm start [-- FOLDER]`: a conversation with the built sidecar over a real pipe, about the given folder, or the
 * current one. Without a terminal it plays one conversation and exits.
 */
import * as Path from "node:path"
import { visibleLine, visibleText } from "../src/domain/VisibleText.ts"
import { playDemo } from "./chat/Demo.ts"
import { converse } from "./chat/Interactive.ts"
import { chooseModel } from "./chat/Model.ts"
import { makeScreen } from "./chat/Screen.ts"
import { styleFor } from "./chat/Style.ts"

const bin = process.env["ATOMIC_AGENT_SIDECAR_BIN"] ?? Path.resolve(import.meta.dirname, "../dist/sidecar/main.js")
const interactive = process.stdin.isTTY && process.stdout.isTTY
const style = styleFor(process.stdout.isTTY && process.stdout.hasColors())

// `npm start | head`: nobody reads on.
process.stdout.on("error", () => process.exit(0))

const model = await chooseModel(process.env)
process.stdout.write(`${visibleLine(model.line)}\n`)
process.on("exit", model.dispose)
try {
  if (interactive) await converse({ bin, model, style, workingDir: Path.resolve(process.argv[2] ?? ".") })
  else {
    const write = (text: string) => process.stdout.write(text)
    process.exitCode = await playDemo(
      bin,
      model,
      makeScreen({ write, style, width: () => process.stdout.columns ?? 100 })
    )
  }
} catch (error) {
  console.error(visibleText(error instanceof Error ? error.message : String(error)))
  process.exitCode = 1
}
