import { duration, elapsed } from "../view/Format.ts"
import type { Approval } from "../view/View.ts"
import type { Actions } from "./Actions.ts"
import { element, setClass, setText } from "./Element.ts"
import { drawPreview } from "./Preview.ts"

const words = { approved: "Allowed", denied: "Denied", withdrawn: "Withdrawn" }

/** What the gate asks, with the buttons that answer it. */
export const approvalCard = (first: Approval, tool: string, actions: Actions) => {
  const title = element("p", "question")
  const resources = element("ul", "resources")
  const preview = first.preview === undefined ? undefined : drawPreview(first.preview)
  const reason = element("input", "")
  reason.placeholder = "Reason, if you like"
  reason.setAttribute("aria-label", `Reason for the answer to ${tool}`)
  const allow = element("button", "primary", "Allow")
  const deny = element("button", "", "Deny")
  for (const button of [allow, deny]) button.type = "button"
  const form = element("div", "answer", reason, allow, deny)
  const node = element("section", "approval", title, resources, ...(preview === undefined ? [] : [preview]), form)
  node.setAttribute("aria-label", `Approval of ${tool}`)
  const unnamed = first.resources.filter((each) => !first.reason.includes(each))
  resources.append(...unnamed.map((each) => element("li", "", each)))

  const answer = (approved: boolean) => {
    const note = reason.value.trim()
    const { approvalId } = first
    actions.post("approval_response", { approvalId, approved, ...(note === "" ? {} : { reason: note }) })
  }
  allow.addEventListener("click", () => answer(true))
  deny.addEventListener("click", () => answer(false))
  reason.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) answer(reason.value.trim() === "")
  })

  const update = (approval: Approval, now: number | undefined): void => {
    const { category, note, outcome } = approval
    const open = outcome === undefined
    setClass(node, `approval ${outcome ?? "open"}`)
    form.hidden = !open || !actions.live()
    const waited = duration(elapsed(approval, now))
    const state = open ? `Asks for ${category ?? "leave"}` : `${words[outcome]}${note === undefined ? "" : `: ${note}`}`
    setText(title, [state, approval.reason, waited].filter((part) => part !== "").join(" · "))
  }
  return { node, update }
}
