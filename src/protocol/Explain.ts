import type * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"

/** One thing that is wrong with an input: where, what was expected there, and what stood there. */
export interface Fault {
  readonly path: ReadonlyArray<PropertyKey>
  readonly expected: string
  readonly actual: unknown
}

/**
 * The first fault of an issue. Where a union has no member that fits, the member that got furthest speaks, and the
 * alternatives at the same place are joined with "or".
 */
export const firstFault = (issue: SchemaIssue.Issue, input: unknown): Fault => {
  const faults = collect(issue, [], undefined)
  const deepest = Math.max(...faults.map((fault) => fault.path.length))
  const first = faults.find((fault) => fault.path.length === deepest) ?? { path: [], expected: "another value" }
  const same = faults.filter((fault) => pathText("", fault.path) === pathText("", first.path))
  return {
    path: first.path,
    expected: [...new Set(same.map((fault) => fault.expected))].join(" or "),
    actual: at(input, first.path)
  }
}

/** `payload.workingDir: expected string, got number` (contract 2). */
export const explain = (issue: SchemaIssue.Issue, input: unknown, root: string): string => {
  const fault = firstFault(issue, input)
  return `${pathText(root, fault.path)}: expected ${fault.expected}, got ${typeName(fault.actual)}`
}

/** `root.key[0].key`. */
export const pathText = (root: string, path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`
    return text === "" ? String(key) : `${text}.${String(key)}`
  }, root)

/** What a value is, in the words of JSON; short values that fit the type but not the rule are shown. */
export const typeName = (value: unknown): string => {
  if (value === undefined) return "nothing"
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  if (typeof value === "string") return value.trim() === "" ? "a blank string" : "string"
  if (typeof value === "number" && (!Number.isInteger(value) || value < 1)) return `number ${value}`
  return typeof value
}

const at = (input: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
    input
  )

interface Found {
  readonly path: ReadonlyArray<PropertyKey>
  readonly expected: string
}

const collect = (
  issue: SchemaIssue.Issue,
  path: ReadonlyArray<PropertyKey>,
  parent: SchemaAST.AST | undefined
): ReadonlyArray<Found> => {
  switch (issue._tag) {
    case "Pointer":
      return collect(issue.issue, [...path, ...issue.path], parent)
    case "Composite":
      return issue.issues.flatMap((inner) => collect(inner, path, issue.ast))
    case "AnyOf":
      return issue.issues.length > 0
        ? issue.issues.flatMap((inner) => collect(inner, path, issue.ast))
        : [{ path, expected: expectation(issue.ast) }]
    case "Filter": {
      const expected = issue.filter.annotations?.expected
      return typeof expected === "string" ? [{ path, expected }] : collect(issue.issue, path, parent)
    }
    case "Encoding":
      return collect(issue.issue, path, parent)
    case "MissingKey":
      return [{ path, expected: missing(parent, path.at(-1)) }]
    case "InvalidType":
      return [{ path, expected: expectation(issue.ast) }]
    case "InvalidValue": {
      const expected = issue.annotations?.expected
      return [{ path, expected: typeof expected === "string" ? expected : "another value" }]
    }
    case "UnexpectedKey":
      return [{ path, expected: "no such key" }]
    case "Forbidden":
    case "OneOf":
      return [{ path, expected: "another value" }]
  }
}

const missing = (parent: SchemaAST.AST | undefined, key: PropertyKey | undefined): string => {
  const signature =
    parent?._tag === "Objects" ? parent.propertySignatures.find((property) => property.name === key) : undefined
  return signature === undefined ? "a value" : expectation(signature.type)
}

/** What a schema wants, in the words of JSON. */
const expectation = (ast: SchemaAST.AST): string => {
  const check = ast.checks?.map((each) => each.annotations?.expected).find((text) => typeof text === "string")
  const annotated = check ?? ast.annotations?.expected
  if (typeof annotated === "string") return annotated
  switch (ast._tag) {
    case "String":
    case "Number":
    case "Boolean":
    case "Null":
      return ast._tag.toLowerCase()
    case "Arrays":
      return "array"
    case "Objects":
      return "object"
    case "Literal":
      return JSON.stringify(ast.literal)
    case "Union":
      return [...new Set(ast.types.map(expectation))].join(" or ")
    default:
      return "another value"
  }
}
