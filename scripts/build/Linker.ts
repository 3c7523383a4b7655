import * as ts from "typescript"

/** One file of a bundle that was split where something is imported when it is needed. */
export interface Piece {
  readonly name: string
  readonly code: string
  readonly map: SourceMap
}

export interface SourceMap {
  readonly sources: ReadonlyArray<string>
  readonly sourcesContent: ReadonlyArray<string | null>
  readonly mappings: string
}

/** Where the lines of a piece begin in a script. */
export interface Section {
  readonly offset: { readonly line: number; readonly column: 0 }
  readonly map: SourceMap
}

/** A script that is one function. */
export interface Script {
  readonly code: string
  readonly sections: ReadonlyArray<Section>
}

/**
 * The pieces of a split bundle as two scripts: what the entry needs at once, and what it imports later.
 * Each piece becomes a function that is called when it is first needed, takes what it imports from the others, and
 * returns what it exports. The first script, called with a function that answers the second one, runs the entry.
 */
export const link = (pieces: ReadonlyArray<Piece>, entry: string): { early: Script; later: Script } => {
  const linked = new Map(pieces.map((piece) => [piece.name, linkedPiece(piece)]))
  const early = new Set<string>()
  const need = (name: string): void => {
    if (early.has(name)) return
    early.add(name)
    linked.get(name)?.imports.forEach(need)
  }
  need(entry)
  const all = [...linked.values()]
  const later = all.filter(({ name }) => !early.has(name))
  return {
    early: script(
      all.filter(({ name }) => early.has(name)),
      "$later",
      [
        "const $pieces = { __proto__: null }, $taken = { __proto__: null };",
        "const $take = (name) => $taken[name] ??= $pieces[name]();",
        "const $load = async (name) => {",
        "  if ($pieces[name] === undefined) $later()($pieces, $take, $load);",
        "  return $take(name);",
        "};"
      ],
      [`$take(${JSON.stringify(entry)});`]
    ),
    later: script(later, "$pieces, $take, $load", [], [])
  }
}

interface LinkedPiece {
  readonly name: string
  /** As many lines as the piece had. */
  readonly body: string
  /** What it returns. */
  readonly exported: string
  readonly imports: ReadonlyArray<string>
  readonly map: SourceMap
}

const linkedPiece = ({ code, map, name }: Piece): LinkedPiece => {
  const [, names = ""] = exportStatement.exec(code) ?? []
  const exports = bindings(names).map(([local, outside]) => ({ local, outside }))
  mustBeConstant(name, code, new Set(exports.map(({ local }) => local)))
  const imports: Array<string> = []
  const body = code
    .replace(exportStatement, blank)
    .replaceAll(importStatement, (statement, names: string | undefined, from: string) => {
      imports.push(from)
      const taken = bindings(names ?? "").map(([outside, local]) => `${outside}: ${local}`)
      const take = `$take(${JSON.stringify(from)});`
      return `${taken.length === 0 ? take : `const { ${taken.join(", ")} } = ${take}`}${blank(statement)}`
    })
    .replaceAll(dynamicImport, (_, from: string) => `$load(${JSON.stringify(from)})`)
  const exported = exports.map(({ local, outside }) => `${outside}: ${local}`).join(", ")
  return { name, body, exported, imports, map }
}

const script = (
  pieces: ReadonlyArray<LinkedPiece>,
  parameters: string,
  first: ReadonlyArray<string>,
  last: ReadonlyArray<string>
): Script => {
  const lines = [`(function(${parameters}) { "use strict";`, ...first]
  let count = lines.length
  const sections: Array<Section> = []
  const add = (text: string) => {
    lines.push(text)
    count += text.split("\n").length
  }
  for (const { body, exported, map, name } of pieces) {
    add(`$pieces[${JSON.stringify(name)}] = () => {`)
    sections.push({ offset: { line: count, column: 0 }, map })
    add(body)
    add(`return { ${exported} }; };`)
  }
  return { code: [...lines, ...last, "})"].join("\n"), sections }
}

const importStatement = /^import (?:\{([^}]*)\} from )?"\.\/([^"]+)";$/gm
const exportStatement = /^export \{([^}]*)\};$/m
const dynamicImport = /\bimport\("\.\/([^"]+)"\)/g

/** Its lines, with nothing in them. */
const blank = (statement: string): string => statement.replaceAll(/[^\n]/g, "")

/** `a as b, c` as pairs. */
const bindings = (names: string): ReadonlyArray<readonly [string, string]> =>
  names
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
    .map((entry) => {
      const [first = "", second = first] = entry.split(" as ")
      return [first, second]
    })

/** What a piece returns is what its exports are then: one that is assigned to afterwards would be an old value elsewhere. */
const mustBeConstant = (piece: string, code: string, exported: ReadonlySet<string>): void => {
  const visit = (node: ts.Node): void => {
    const target = assigned(node)
    if (target !== undefined && ts.isIdentifier(target) && exported.has(target.text)) {
      throw new Error(`${piece} exports ${target.text} and assigns to it: pieces cannot share what changes`)
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(piece, code, ts.ScriptTarget.Latest))
}

const assigned = (node: ts.Node): ts.Node | undefined => {
  if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
    const changes = node.operator === ts.SyntaxKind.PlusPlusToken || node.operator === ts.SyntaxKind.MinusMinusToken
    return changes ? node.operand : undefined
  }
  if (!ts.isBinaryExpression(node)) return undefined
  const { kind } = node.operatorToken
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment ? node.left : undefined
}
