import * as Fs from "node:fs"
import * as Path from "node:path"
import { root } from "../support/Bin.ts"

/** One document for readers; `path` is from the root of the repository, with `/`. */
export interface Document {
  readonly path: string
  readonly text: string
}

/** A fenced example. */
export interface Fence {
  readonly document: string
  /** Of the line that opens it, from 1. */
  readonly line: number
  readonly language: string
  /** The comment above it, such as `run: minimal-host`; empty where there is none. */
  readonly mark: string
  readonly code: string
}

export const documents: ReadonlyArray<Document> = ["*.md", "docs/**/*.md"]
  .flatMap((pattern) => Fs.globSync(pattern, { cwd: root }))
  .map((path) => path.replaceAll(Path.sep, "/"))
  .toSorted()
  .map((path) => ({ path, text: Fs.readFileSync(Path.join(root, path), "utf8") }))

export const documentAt = (path: string): string => {
  const found = documents.find((document) => document.path === path)
  if (found === undefined) throw new Error(`there is no document ${path}`)
  return found.text
}

const fencesOf = ({ path, text }: Document): ReadonlyArray<Fence> => {
  const lines = text.split("\n")
  const fences: Array<Fence> = []
  for (let index = 0; index < lines.length; index++) {
    const [, ticks, language = ""] = /^(`{3,})(.*)$/.exec(lines[index] ?? "") ?? []
    if (ticks === undefined) continue
    const end = lines.indexOf(ticks, index + 1)
    if (end === -1) throw new Error(`${path}:${index + 1}: the fence is not closed`)
    const [, mark = ""] = /^<!-- (.*) -->$/.exec(lines[index - 1] ?? "") ?? []
    const code = `${lines.slice(index + 1, end).join("\n")}\n`
    fences.push({ document: path, line: index + 1, language, mark, code })
    index = end
  }
  return fences
}

export const fences: ReadonlyArray<Fence> = documents.flatMap(fencesOf)

export const placeOf = ({ document, line }: Fence): string => `${document}:${line}`

/** The fences with a mark of this kind, and the rest of the mark. */
export const markedAs = (kind: string): ReadonlyArray<readonly [rest: string, fence: Fence]> =>
  fences.flatMap((fence) => {
    const [head, ...rest] = fence.mark.split(": ")
    return head === kind ? [[rest.join(": "), fence] as const] : []
  })

/** The code of the one fence below `<!-- run: NAME -->`, exactly as it stands there. */
export const codeOf = (name: string): string => {
  const found = markedAs("run").filter(([rest]) => rest === name)
  if (found.length !== 1) throw new Error(`${found.length} fences are marked "run: ${name}"`)
  return found[0]![1].code
}

/** What a link to a heading ends with. */
export const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .replaceAll(/^(`{3,})[^]*?^\1$/gm, "")
      .split("\n")
      .filter((line) => /^#+ /.test(line))
      .map((line) =>
        line
          .replace(/^#+ /, "")
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
          .replaceAll(" ", "-")
      )
  )

/** Where a document leads to: links and pictures, those with a scheme left out. */
export const linksOf = (text: string): ReadonlyArray<string> =>
  [...text.replaceAll(/^(`{3,})[^]*?^\1$/gm, "").matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)]
    .map(([, link, attribute]) => link ?? attribute ?? "")
    .filter((link) => !/^\w+:/.test(link))

/** The first cells of the rows of generated tables with this name, without their backticks. */
export const rowsOf = (table: string): ReadonlyArray<string> => {
  const [, body] = new RegExp(`<!-- table: ${table} -->\n([^]*?)<!-- /table -->`).exec(documentAt("README.md")) ?? []
  if (body === undefined) throw new Error(`README.md has no table ${table}`)
  return [...body.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name ?? "")
}
