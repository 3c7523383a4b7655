const { sidecar } = window
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
sidecar.onMessage(async ({ detail, kind, payload, type }) => {
  if (kind === "gone") return show(`\nThe sidecar is gone. ${detail}`)
  if (type === "step_started") streamed = ""
  if (type === "assistant_delta") {
    streamed += payload.text
    show(payload.text)
  }
  if (type === "assistant_reply") show(`${streamed === "" ? payload.text : ""}\n`)
  if (type === "session_failed") show(`\n${payload.error}\n`)
  if (type === "approval_request") await sidecar.answer(payload.approvalId, await ask(payload))
  if (type === "turn_finished") approvals.replaceChildren()
})

document.getElementById("form").addEventListener("submit", (event) => {
  event.preventDefault()
  show(`\n› ${message.value}\n`)
  sidecar.send(message.value).catch((error) => show(`\n${error.message}\n`))
  message.value = ""
})
document.getElementById("cancel").addEventListener("click", () => sidecar.cancel())

await sidecar.start(".")
