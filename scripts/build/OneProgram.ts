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

/** Where the lines of a piece begin in the whole. */
export interface Section {
  readonly offset: { readonly line: number; readonly column: 0 }
  readonly map: SourceMap
}

/**
 * The pieces of a split bundle as one text: what all share, then what is loaded when it is needed, each a function that
 * nobody may ever call, then the program itself. Whoever would rather leave this to the bundler gets one file too, but
 * has every shared module initialized by a function call and kept in variables that the engine cannot take for
 * constants: a hundredth of the start.
 */
export const joined = (pieces: ReadonlyArray<Piece>, entry: string) => {
  const main = pieces.find(({ name }) => name === entry)
  const wanted = new Set(pieces.flatMap(({ code }) => [...code.matchAll(dynamicImport)].map(([, name]) => name)))
  const shared = pieces.filter((piece) => piece !== main && !wanted.has(piece.name))
  if (main === undefined || shared.length > 1) {
    throw new Error(
      `the bundle was split into ${pieces.map(({ name }) => name).join(", ")}: one shared piece is expected`
    )
  }
  const later = pieces.filter(({ name }) => wanted.has(name))
  const exported = new Map(shared.flatMap(({ code }) => bindings(code, exportStatement)))
  const text = new Lines()
  for (const piece of shared) text.add(piece, piece.code.replace(exportStatement, ""))
  const elsewhere = [main, ...later].flatMap(({ code }) => renamed(code, exported).map(([outside]) => outside))
  for (const name of new Set(elsewhere)) text.line(`const $shared_${name} = ${exported.get(name)};`)
  text.line("const $later = { __proto__: null };")
  for (const piece of later) {
    const own = bindings(piece.code, exportStatement).map(([name, local]) => `${name}: ${local}`)
    text.line(`$later[${JSON.stringify(piece.name)}] = () => {`)
    text.add(piece, inside(piece.code.replace(exportStatement, ""), exported))
    text.line(`return { ${own.join(", ")} }; };`)
  }
  text.line("const $loaded = { __proto__: null };")
  text.line("const $load = async (name) => $loaded[name] ??= $later[name]();")
  text.line("(() => {")
  text.add(main, inside(main.code, exported))
  text.line("})();")
  return { code: text.code, sections: text.sections }
}

const dynamicImport = /\bimport\("\.\/([^"]+)"\)/g
const importStatement = /^import \{([^}]*)\} from "[^"]+";$/m
const exportStatement = /^export \{([^}]*)\};$/m

/** `a as b` of the first statement of a kind, as pairs of the name outside and the name inside. */
const bindings = (code: string, statement: RegExp): ReadonlyArray<readonly [outside: string, inside: string]> =>
  (statement.exec(code)?.[1] ?? "")
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
    .map((entry) => {
      const [first = "", second = first] = entry.split(" as ")
      return statement === exportStatement ? [second, first] : [first, second]
    })

/** What has another name in a piece than where it is declared; a name that is the same needs no import. */
const renamed = (code: string, exported: ReadonlyMap<string, string>) =>
  bindings(code, importStatement).filter(([outside, local]) => exported.get(outside) !== local)

/** A piece as it stands in a function below what is shared, line by line. */
const inside = (code: string, exported: ReadonlyMap<string, string>): string => {
  const constants = renamed(code, exported).map(([outside, local]) => `const ${local} = $shared_${outside};`)
  return code
    .replace(importStatement, (statement) => constants.join(" ") + statement.replaceAll(/[^\n]/g, ""))
    .replaceAll(dynamicImport, (_, name) => `$load(${JSON.stringify(name)})`)
}

class Lines {
  code = ""
  readonly sections: Array<Section> = []

  add({ map }: Piece, code: string): void {
    this.sections.push({ offset: { line: this.code.split("\n").length - 1, column: 0 }, map })
    this.line(code)
  }

  line(text: string): void {
    this.code += `${text}\n`
  }
}
