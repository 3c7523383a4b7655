import * as Schema from "effect/Schema"
import { NotBlank } from "./Checks.ts"
import { field, optionalField } from "./Field.ts"

const Path = Schema.String.check(
  Schema.isPattern(/^([/\\]|[A-Za-z]:[/\\])[^\0]*$/, { expected: "an absolute path" }),
  Schema.makeFilter((path) => !/\p{Surrogate}/u.test(path), { expected: "an absolute path" })
)
const Host = Schema.String.check(
  Schema.makeFilter((host) => host !== "" && URL.parse(`https://${host}/`)?.host === host, {
    expected: "a host as in a URL, in lower case, with its port unless that is the usual one"
  })
)
const Words = Schema.Array(Schema.String).check(
  Schema.makeFilter(([first = ""]) => first.trim() !== "", { expected: "an array of the words of a command" })
)

/** The kinds of grants, with these schemas for what they name. */
const kinds = <P extends Schema.Top, H extends Schema.Top, W extends Schema.Top, N extends Schema.Top>(
  Path: P,
  Host: H,
  Words: W,
  Name: N
) => {
  const path = field(Path, "Absolute path of a file, or of a folder and everything below it.")
  const write = Schema.Struct({ kind: field(Schema.Literal("write"), "Writing files."), path })
  const command = Schema.Struct({
    kind: field(Schema.Literal("command"), "Running commands."),
    argv: field(Words, "The words that a command begins with.")
  })
  const host = Schema.Struct({
    kind: field(Schema.Literal("host"), "Requests to a server, of any method."),
    host: field(Host, "Its host, with the port unless that is the usual one.")
  })
  const script = Schema.Struct({
    kind: field(Schema.Literal("script"), "Running a skill's script, with any arguments."),
    skill: field(Name, "The skill's name."),
    script: field(Name, "The script, as the skill declares it.")
  })
  const mcp = Schema.Struct({
    kind: field(Schema.Literal("mcp"), "Calling tools of an MCP server."),
    server: field(Name, "The server's name."),
    tool: optionalField(Name, "The tool; all of the server's if it is left out.")
  })
  const read = Schema.Struct({ kind: field(Schema.Literal("read"), "Reading files."), path })
  return Schema.Union([write, command, host, script, mcp, read])
}

/** What a call may do without a question for the rest of a session (contract 9, `grants`). */
export const Grant = kinds(Schema.String, Schema.String, Schema.Array(Schema.String), Schema.String).annotate({
  identifier: "Grant",
  description: "What calls may do without a question for the rest of a session, tagged by `kind`.",
  expected: "an object whose kind is write, command, host, script, mcp or read"
})
export type Grant = typeof Grant.Type

/** A grant that a session begins with: what it names must make sense. */
export const GivenGrant: Schema.Codec<Grant> = kinds(Path, Host, Words, NotBlank).annotate({
  expected: "an object whose kind is write, command, host, script, mcp or read"
})

/** A grant that an answer may give, with words for a person. */
export const Offer = Schema.Struct({
  grant: field(Grant, "The grant, for `approval_response`."),
  label: field(Schema.String, "What it covers, for a person.")
}).annotate({ identifier: "Offer", description: "What else the answer to a question can cover." })
export type Offer = typeof Offer.Type
