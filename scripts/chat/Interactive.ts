import * as Readline from "node:readline"
import { type Approval, type OnApproval, SidecarHost } from "../../src/host/SidecarHost.ts"
import { visibleLine, visibleText } from "../../src/domain/VisibleText.ts"
import type { SidecarEvent } from "../../src/protocol/Event.ts"
import { readAnswer } from "./Answer.ts"
import type { Model } from "./Model.ts"
import { makeScreen } from "./Screen.ts"
import type { Style } from "./Style.ts"

export interface ConverseOptions {
  readonly bin: string
  readonly model: Model
  readonly style: Style
  readonly workingDir: string
}

/** A conversation by hand. Ends when the person leaves or the sidecar does. */
export const converse = async ({ bin, model, style, workingDir }: ConverseOptions): Promise<void> => {
  const { stdin, stdout } = process
  const prompts = {
    message: `\n${style.user("›")} `,
    steer: `  ${style.user("↪")} `,
    answer: `  ${style.warn("y, n, or n and why ›")} `
  }
  let running = 0
  /** Answers the approval request that waits for a person, if one does. */
  let question: ((approval: Approval) => void) | undefined
  let cancelling = false
  /** While a person types into a running turn its output waits, else each would tear the other apart. */
  let held: Array<string> | undefined

  const screen = makeScreen({
    write: (text) => (held === undefined ? stdout.write(text) : held.push(text)),
    style,
    width: () => stdout.columns
  })
  const release = () => {
    const texts = held ?? []
    held = undefined
    for (const text of texts) stdout.write(text)
  }

  // Before `readline` listens: it then draws the first letter behind the prompt that is set here.
  const onKey = (text: string | undefined) => {
    const types = text !== undefined && /^[^\p{Cc}]+$/u.test(text)
    if (!types || running === 0 || question !== undefined || held !== undefined) return
    stdout.write("\n")
    held = []
    terminal.setPrompt(prompts.steer)
    terminal.prompt()
  }
  Readline.emitKeypressEvents(stdin)
  stdin.on("keypress", onKey)
  const terminal = Readline.createInterface({ input: stdin, output: stdout, terminal: true })
  const closed = new Promise<void>((resolve) => terminal.once("close", resolve))

  const ask = (prompt: string) => {
    terminal.setPrompt(prompt)
    terminal.prompt()
  }

  const onEvent = (event: SidecarEvent) => {
    if (event.type === "user_message" && event.payload.text === typed.at(0)) return void typed.shift()
    screen.show(event)
  }
  const onApproval: OnApproval = (_request, signal) =>
    new Promise((resolve) => {
      question = resolve
      if (held === undefined) ask(prompts.answer)
      signal.addEventListener("abort", () => {
        if (question === resolve) question = undefined
      })
    })
  /** Messages that stand on the screen already, as they were typed. */
  const typed: Array<string> = []

  const host = SidecarHost.spawn({ command: process.execPath, args: [bin], env: model.env, onApproval })
  host.onEvent(onEvent)
  void host.exited.then(() => terminal.close())
  const sessionId = await begin(host, workingDir).catch((error: unknown) => {
    terminal.close()
    throw error
  })

  const complain = (error: unknown) =>
    screen.say(style.bad(`  ${visibleText(error instanceof Error ? error.message : String(error))}`))
  const send = async (text: string) => {
    if (running === 0) typed.push(text)
    running += 1
    await host.request("send_message", { sessionId, text }).catch(complain)
    running -= 1
    cancelling = false
    if (running === 0 && held === undefined) ask(prompts.message)
  }
  const steer = async (text: string) => {
    const { steered } = await host.request("steer_message", { sessionId, text })
    if (!steered) await send(text)
  }
  const reply = (resolve: (approval: Approval) => void, text: string) => {
    const answer = readAnswer(text)
    if (answer === undefined) return ask(prompts.answer)
    question = undefined
    resolve(answer)
  }

  const onLine = async (text: string) => {
    const wasHeld = held !== undefined
    release()
    if (question !== undefined && !wasHeld) return reply(question, text)
    if (text.trim() !== "") return running > 0 ? steer(text) : send(text)
    if (question !== undefined) ask(prompts.answer)
    else if (running === 0) ask(prompts.message)
  }
  terminal.on("line", (text) => void onLine(text).catch(complain))
  terminal.on("SIGINT", () => {
    release()
    if (running === 0 || cancelling) return terminal.close()
    cancelling = true
    question = undefined
    screen.say(style.dim("\n  cancelling; Ctrl-C again leaves"))
    void host.request("cancel", { sessionId }).catch(complain)
  })

  stdout.write(style.dim(`In ${visibleLine(workingDir)}. Ctrl-C cancels a turn, or leaves.\n`))
  ask(prompts.message)
  await closed
  release()
  stdin.off("keypress", onKey)
  stdout.write("\n")
  await host.shutdown()
}

const begin = async (host: SidecarHost, workingDir: string): Promise<string> => {
  await host.hello(["llm_progress", "approval_resolved"]).catch(() => {})
  const { sessionId } = await host.request("start_session", { workingDir })
  return sessionId
}
