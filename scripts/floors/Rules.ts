import * as Path from "node:path/posix"
import * as ts from "typescript"

export interface SourceFile {
  /** From the root of the repository, with `/`. */
  readonly path: string
  readonly text: string
}

const maxLines = 300

/** What stands on which floor: a file imports its own floor and those below. */
const floors: Readonly<Record<string, number>> = {
  "protocol/": 0,
  "domain/": 1,
  "Version.ts": 1,
  "Config.ts": 1,
  "config/": 1,
  "stdio/": 2,
  "process/": 2,
  "llama/": 2,
  "store/": 2,
  "skills/": 2,
  "tools/": 3,
  "session/": 4,
  "telemetry/": 4,
  "router/": 5,
  "main.ts": 6,
  "Serving.ts": 6,
  "boot/": 6,
  "Sidecar.ts": 6,
  "index.ts": 6
}

const mayBeBarrels = new Set(["src/index.ts", "src/testing/index.ts"])
const ofProtocol = new Set(["effect/Schema", "effect/SchemaAST", "effect/SchemaIssue"])

/** Every breach of the house rules for imports and sizes, one line each. */
export const violations = (files: ReadonlyArray<SourceFile>): ReadonlyArray<string> =>
  files.flatMap((file) => [
    ...lengthOf(file),
    ...(file.path.startsWith("src/") ? [...placeOf(file), ...barrelOf(file)] : []),
    ...importsOf(file).flatMap(({ name, line }) =>
      breaches(file.path, name).map((why) => `${file.path}:${line}: ${why}`)
    )
  ])

const lengthOf = ({ path, text }: SourceFile) => {
  const lines = text.replace(/\n$/, "").split("\n").length
  return lines > maxLines ? [`${path}: ${lines} lines, at most ${maxLines}`] : []
}

const placeOf = ({ path }: SourceFile) =>
  floorOf(path) === undefined && !/^src\/(host|testing)\//.test(path) ? [`${path}: stands on no floor`] : []

const barrelOf = ({ path, text }: SourceFile) => {
  if (mayBeBarrels.has(path)) return []
  const statements = ts.createSourceFile(path, text, ts.ScriptTarget.Latest).statements
  const passesOn = (statement: ts.Statement) =>
    ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined
  return statements.length > 0 && statements.every(passesOn)
    ? [`${path}: a barrel, it only passes on others' exports`]
    : []
}

const importsOf = ({ text }: SourceFile) =>
  ts.preProcessFile(text, true, true).importedFiles.map(({ fileName, pos }) => ({
    name: fileName,
    line: text.slice(0, pos).split("\n").length
  }))

const breaches = (from: string, name: string): ReadonlyArray<string> => {
  if (name === "effect" || /^@effect\/platform-[\w-]+$/.test(name)) {
    return [`imports all of "${name}", import one of its modules`]
  }
  if (!from.startsWith("src/")) return []
  if (!name.startsWith(".")) return outsideOfProtocol(from, name)
  return inside(from, Path.join(Path.dirname(from), name))
}

const outsideOfProtocol = (from: string, name: string) =>
  from.startsWith("src/protocol/") && !ofProtocol.has(name)
    ? [`protocol/ imports ${[...ofProtocol].join(", ")} only, not "${name}"`]
    : []

const inside = (from: string, to: string): ReadonlyArray<string> => {
  if (!to.startsWith("src/")) return to === "package.json" ? [] : [`imports ${to}, which is not in src`]
  if (from.startsWith("src/testing/")) return []
  if (from.startsWith("src/host/")) {
    return /^src\/(host|protocol)\//.test(to) ? [] : [`host/ imports protocol/ only, not ${to}`]
  }
  // The package's one public face names the host's service too.
  if (from === "src/index.ts" && to.startsWith("src/host/")) return []
  const own = floorOf(from)
  const other = floorOf(to)
  if (own === undefined) return []
  if (other === undefined) return [`imports ${to}, which stands on no floor below`]
  return other > own ? [`on floor ${own} imports ${to}, on floor ${other}`] : []
}

const floorOf = (path: string): number | undefined => {
  const [first = "", ...rest] = path.replace("src/", "").split("/")
  return floors[rest.length > 0 ? `${first}/` : first]
}
