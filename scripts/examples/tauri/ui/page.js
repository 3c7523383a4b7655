import { connect } from "./sidecar.js"

const said = document.getElementById("said")
const questions = document.getElementById("questions")
const message = document.getElementById("message")
const say = (text) => said.append(text)

/** Puts a question with its buttons; the answer, unless the turn ends first. */
const ask = ({ preview = "", reason, tool }) =>
  new Promise((resolve) => {
    const question = document.createElement("div")
    const text = document.createElement("pre")
    text.textContent = [tool, reason, preview].join("\n")
    question.append(text)
    for (const [name, approved] of [
      ["Allow", true],
      ["Deny", false]
    ]) {
      const button = document.createElement("button")
      button.textContent = name
      button.addEventListener("click", () => {
        question.remove()
        resolve(approved)
      })
      question.append(button)
    }
    questions.append(question)
  })

/** What has streamed of the reply: the reply itself repeats it. */
let streamed = ""
const request = await connect(
  window.__TAURI__.core,
  async ({ payload, type }) => {
    if (type === "step_started") streamed = ""
    if (type === "assistant_delta") {
      streamed += payload.text
      say(payload.text)
    }
    if (type === "assistant_reply") say(`${streamed === "" ? payload.text : ""}\n`)
    if (type === "session_failed") say(`\n${payload.error}\n`)
    if (type === "approval_request") {
      await request("approval_response", { approvalId: payload.approvalId, approved: await ask(payload) })
    }
    if (type === "turn_finished") questions.replaceChildren()
  },
  () => say("\nThe sidecar is gone.")
)

const { sessionId } = await request("start_session", { workingDir: "." })
document.getElementById("form").addEventListener("submit", (event) => {
  event.preventDefault()
  const text = message.value
  say(`\n› ${text}\n`)
  request("send_message", { sessionId, text }).catch((error) => say(`\n${error.message}\n`))
  message.value = ""
})
document.getElementById("cancel").addEventListener("click", () => request("cancel", { sessionId }))
