import * as Path from "node:path/posix"
import * as ts from "typescript"
import { circles } from "./Circles.ts"
import { roomOf, rooms } from "./Rooms.ts"

export interface SourceFile {
  /** From the root of the repository, with `/`. */
  readonly path: string
  readonly text: string
}

const maxLines = 300

/** A folder with more files is several ideas; captured answers of servers are one. */
const maxFiles = 22

const mayBeBarrels = new Set(["src/index.ts", "src/testing/index.ts"])
const ofProtocol = new Set(["effect/Schema", "effect/SchemaAST", "effect/SchemaIssue"])

/** Every breach of the house rules for imports and sizes, one line each. */
export const violations = (files: ReadonlyArray<SourceFile>): ReadonlyArray<string> => [
  ...files.flatMap((file) => [
    ...lengthOf(file),
    ...roomlessFile(file),
    ...barrelOf(file),
    ...importsOf(file).flatMap(({ name, line }) =>
      breaches(file.path, name).map((why) => `${file.path}:${line}: ${why}`)
    )
  ]),
  ...crowdedFolders(files),
  ...circles(new Map(files.map((file) => [file.path, localImports(file)]))).map(
    (circle) => `${circle[0]}: a circle of imports: ${circle.join(" → ")}`
  )
]

const isTest = (path: string) => path.startsWith("test/") || path.endsWith(".test.ts")

const lengthOf = ({ path, text }: SourceFile) => {
  const lines = text.replace(/\n$/, "").split("\n").length
  // Tables of tests are long, and nobody reads them from end to end.
  return lines > maxLines && !isTest(path) ? [`${path}: ${lines} lines, at most ${maxLines}`] : []
}

const crowdedFolders = (files: ReadonlyArray<SourceFile>) => {
  const counts = Map.groupBy(
    files.map(({ path }) => path).filter((path) => path.startsWith("src/")),
    (path) => Path.dirname(path)
  )
  return [...counts]
    .filter(([, { length }]) => length > maxFiles)
    .map(([folder, { length }]) => `${folder}: ${length} files, at most ${maxFiles}`)
}

const roomlessFile = ({ path }: SourceFile) =>
  path.startsWith("src/") && !rooms.some(({ name }) => name === roomOf(path)) ? [`${path}: stands in no room`] : []

const barrelOf = ({ path, text }: SourceFile) => {
  if (!path.startsWith("src/") || mayBeBarrels.has(path)) return []
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

const targetOf = (from: string, name: string) => Path.join(Path.dirname(from), name)

const localImports = (file: SourceFile) =>
  importsOf(file).flatMap(({ name }) => (name.startsWith(".") ? [targetOf(file.path, name)] : []))

const breaches = (from: string, name: string): ReadonlyArray<string> => {
  if (name === "effect" || /^@effect\/platform-[\w-]+$/.test(name)) {
    return [`imports all of "${name}", import one of its modules`]
  }
  if (!name.startsWith(".")) return outsideOfProtocol(from, name)
  const to = targetOf(from, name)
  if (from.startsWith("src/")) return withinSrc(from, to)
  if (from.startsWith("scripts/") && to.startsWith("test/")) return [`scripts/ does not import test/, but ${to}`]
  if (from.startsWith("test/") && to.startsWith("scripts/")) return [`test/ does not import scripts/, but ${to}`]
  return []
}

const outsideOfProtocol = (from: string, name: string) =>
  from.startsWith("src/protocol/") && !ofProtocol.has(name)
    ? [`protocol/ imports ${[...ofProtocol].join(", ")} only, not "${name}"`]
    : []

const withinSrc = (from: string, to: string): ReadonlyArray<string> => {
  if (!to.startsWith("src/")) return to === "package.json" ? [] : [`imports ${to}, which is not in src`]
  const own = roomOf(from)
  const other = roomOf(to)
  if (own === other) return []
  const floor = rooms.findIndex(({ name }) => name === own)
  if (rooms[floor]?.mayImport.includes(other) === true) return []
  const isAbove = rooms.findIndex(({ name }) => name === other) > floor
  return [`${own}/ may not import ${to}${isAbove ? ", which stands above it" : ""}`]
}
