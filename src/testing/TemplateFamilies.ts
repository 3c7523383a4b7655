/** A message of a request, as far as templates look at it. */
interface Message {
  readonly role: string
  readonly content?: unknown
  readonly tool_call_id?: unknown
  readonly tool_calls?: ReadonlyArray<{ readonly id: string }>
}

/** What of a chat request a template sees. */
export interface TemplateInput {
  readonly messages: ReadonlyArray<Message>
  readonly tools?: ReadonlyArray<{ readonly function: { readonly parameters: object } }>
}

/** One demand of a template: the message of its exception, if the request does not meet it. */
type Rule = (input: TemplateInput) => string | undefined

const callsOf = ({ tool_calls: calls }: Message) => calls ?? []
const isTurn = (message: Message) =>
  message.role === "user" || (message.role === "assistant" && callsOf(message).length === 0)
const afterSystem = ({ messages }: TemplateInput) => (messages[0]?.role === "system" ? messages.slice(1) : messages)

const nineCharacters: Rule = ({ messages }) =>
  messages.some(
    (message) =>
      callsOf(message).some(({ id }) => !/^[a-zA-Z0-9]{9}$/.test(id)) ||
      (message.role === "tool" && !/^[a-zA-Z0-9]{9}$/.test(String(message.tool_call_id)))
  )
    ? "Tool call IDs should be alphanumeric strings with length 9!"
    : undefined

/** Calls and results do not count; a message behind a result is the next turn of the user, who had the last one. */
const turnsAlternate: Rule = (input) =>
  afterSystem(input)
    .filter(isTurn)
    .some(({ role }, index) => role !== (index % 2 === 0 ? "user" : "assistant"))
    ? "After the optional system message, conversation roles must alternate user/assistant/user/assistant/..."
    : undefined

const oneCall: Rule = ({ messages }) =>
  messages.some((message) => callsOf(message).length > 1)
    ? "This model only supports single tool-calls at once!"
    : undefined

const onlyUserAndAssistant: Rule = (input) =>
  afterSystem(input).some(({ role }, index) => role !== (index % 2 === 0 ? "user" : "assistant"))
    ? "Conversation roles must alternate user/assistant/user/assistant/..."
    : undefined

const systemFirst: Rule = ({ messages }) =>
  messages.some(({ role }, index) => role === "system" && index > 0)
    ? "System message must be at the beginning."
    : undefined

const noSystem: Rule = ({ messages }) =>
  messages.some(({ role }) => role === "system") ? "System role not supported" : undefined

const hasUser: Rule = ({ messages }) =>
  messages.some(({ role }) => role === "user") ? undefined : "No user query found in messages."

const noArrays: Rule = ({ tools }) =>
  JSON.stringify(tools ?? []).includes('"type":"array"')
    ? "Unable to generate parser for this template: Function has no builtins"
    : undefined

const noTools: Rule = ({ tools }) => (tools === undefined ? undefined : "this model does not support tools")

/** What no template in use demands as a whole: the sum of what each may, so that a new one is likely content too. */
const careful: Rule = (input) => {
  const ids = input.messages.flatMap((message) => callsOf(message).map(({ id }) => id))
  if (new Set(ids).size < ids.length) return "messages: two tool calls with one id"
  const wrong = input.messages.findIndex((message, index) => {
    const before = input.messages[index - 1]
    const isEmpty = callsOf(message).length === 0 && String(message.content ?? "").trim() === ""
    const isTwice = message.role !== "tool" && message.role === before?.role
    return isEmpty || isTwice || (message.role === "user" && before?.role === "tool")
  })
  return wrong === -1 ? undefined : `messages[${wrong}]: empty, or not in turn`
}

/** Each call has its result behind the message, in the same order; nothing else stands between. */
const resultsFollow: Rule = ({ messages }) => {
  const wanted: Array<string> = []
  for (const message of messages) {
    if (message.role === "tool") {
      if (message.tool_call_id !== wanted.shift()) return "messages: a tool result without its call"
    } else if (wanted.length > 0) return "messages: a tool call without its result"
    wanted.push(...callsOf(message).map(({ id }) => id))
  }
  return wanted.length > 0 ? "messages: a tool call without its result" : undefined
}

/** The demands of families of chat templates, in their own words; each family's templates raise just these. */
export const families = {
  /** Qwen 3.5. */
  qwen: [systemFirst, hasUser],
  /** Mistral Nemo and Small, Devstral. */
  mistral: [systemFirst, nineCharacters, turnsAlternate],
  /** Ministral 3. */
  ministral: [systemFirst, turnsAlternate],
  /** Llama 3.1, 3.2 and 3.3. */
  llama3: [oneCall],
  /** Gemma 2 on llama-server, which puts the system message into the first of the user. */
  gemma2: [onlyUserAndAssistant],
  /** Gemma 2 on servers that do not. */
  gemma2Bare: [noSystem, onlyUserAndAssistant],
  /** Command R+ on llama-server: the template reads the `items` of an array as a method. */
  commandRPlus: [noArrays],
  /** Ollama, for a model without tools. */
  withoutTools: [noTools],
  /** Beyond any one template. */
  careful: [systemFirst, hasUser, nineCharacters, turnsAlternate, careful, resultsFollow]
} satisfies { readonly [name: string]: ReadonlyArray<Rule> }

export type TemplateFamily = keyof typeof families

/** The exception of a family's template; undefined if it takes the request. */
export const refusalOf = (family: TemplateFamily, input: TemplateInput): string | undefined => {
  for (const rule of families[family] as ReadonlyArray<Rule>) {
    const refusal = rule(input)
    if (refusal !== undefined) return refusal
  }
  return undefined
}
