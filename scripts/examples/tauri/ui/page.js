import { connect } from "./sidecar.js"

const transcript = document.getElementById("transcript")
const approvals = document.getElementById("approvals")
const message = document.getElementById("message")
const show = (text) => transcript.append(text)

/** Shows an approval request with its buttons. Resolves with the answer; never, if the turn ends first. */
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
    approvals.append(question)
  })

/** The text of the reply that has been streamed; the event of the whole reply repeats it. */
let streamed = ""
const request = await connect(
  window.__TAURI__.core,
  async ({ payload, type }) => {
    if (type === "step_started") streamed = ""
    if (type === "assistant_delta") {
      streamed += payload.text
      show(payload.text)
    }
    if (type === "assistant_reply") show(`${streamed === "" ? payload.text : ""}\n`)
    if (type === "session_failed") show(`\n${payload.error}\n`)
    if (type === "approval_request") {
      await request("approval_response", { approvalId: payload.approvalId, approved: await ask(payload) })
    }
    if (type === "turn_finished") approvals.replaceChildren()
  },
  () => show("\nThe sidecar is gone.")
)

const { sessionId } = await request("start_session", { workingDir: "." })
document.getElementById("form").addEventListener("submit", (event) => {
  event.preventDefault()
  const text = message.value
  show(`\n› ${text}\n`)
  request("send_message", { sessionId, text }).catch((error) => show(`\n${error.message}\n`))
  message.value = ""
})
document.getElementById("cancel").addEventListener("click", () => request("cancel", { sessionId }))
