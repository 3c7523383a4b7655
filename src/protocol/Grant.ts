import * as Schema from "effect/Schema"
import { NotBlank } from "./Checks.ts"
import { field, optionalField } from "./Field.ts"

const Path = Schema.String.check(
  Schema.isPattern(/^([/\\]|[A-Za-z]:[/\\])[^\0]*$/, { expected: "an absolute path" }),
  Schema.makeFilter((path) => path.isWellFormed(), { expected: "an absolute path" })
)
const path = field(Path, "Absolute path of a file, or of a folder and everything below it.")
const Host = Schema.String.check(
  Schema.makeFilter((host) => host !== "" && URL.parse(`https://${host}/`)?.host === host, {
    expected: "a host as in a URL, in lower case, with its port unless that is the usual one"
  })
)
const skill = field(NotBlank, "The skill's name.")
const server = field(NotBlank, "The server's name.")

const WriteGrant = Schema.Struct({ kind: field(Schema.Literal("write"), "Writing files."), path })
const CommandGrant = Schema.Struct({
  kind: field(Schema.Literal("command"), "Running commands."),
  argv: field(
    Schema.Array(Schema.String).check(
      Schema.makeFilter(([first = ""]) => first.trim() !== "", { expected: "an array of the words of a command" })
    ),
    "The words that a command begins with."
  )
})
const HostGrant = Schema.Struct({
  kind: field(Schema.Literal("host"), "Requests to a server, of any method."),
  host: field(Host, "Its host, with the port unless that is the usual one.")
})
const ScriptGrant = Schema.Struct({
  kind: field(Schema.Literal("script"), "Running a skill's script, with any arguments."),
  skill,
  script: field(NotBlank, "The script, as the skill declares it.")
})
const McpGrant = Schema.Struct({
  kind: field(Schema.Literal("mcp"), "Calling tools of an MCP server."),
  server,
  tool: optionalField(NotBlank, "The tool; all of the server's if it is left out.")
})
const ReadGrant = Schema.Struct({ kind: field(Schema.Literal("read"), "Reading files."), path })

/** What a call may do without a question for the rest of a session (contract 9, `grants`). */
export const Grant = Schema.Union([WriteGrant, CommandGrant, HostGrant, ScriptGrant, McpGrant, ReadGrant]).annotate({
  identifier: "Grant",
  description: "What calls may do without a question for the rest of a session, tagged by `kind`.",
  expected: "an object whose kind is write, command, host, script, mcp or read"
})
export type Grant = typeof Grant.Type

/** A grant that an answer may give, with words for a person. */
export const Offer = Schema.Struct({
  grant: field(Grant, "The grant, for `approval_response`."),
  label: field(Schema.String, "What it covers, for a person.")
}).annotate({ identifier: "Offer", description: "What else the answer to a question can cover." })
export type Offer = typeof Offer.Type
