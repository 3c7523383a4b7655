/** The imports of files by path, types included. */
export type Imports = ReadonlyMap<string, ReadonlyArray<string>>

/** Every circle of imports once, as the files in it, the first repeated at the end. */
export const circles = (imports: Imports): ReadonlyArray<ReadonlyArray<string>> => {
  const all: Array<ReadonlyArray<string>> = []
  const done = new Set<string>()
  const path: Array<string> = []
  const visit = (file: string): void => {
    const at = path.indexOf(file)
    if (at !== -1) {
      all.push([...path.slice(at), file])
      return
    }
    if (done.has(file)) return
    path.push(file)
    for (const next of imports.get(file) ?? []) visit(next)
    path.pop()
    done.add(file)
  }
  for (const file of imports.keys()) visit(file)
  return all
}
