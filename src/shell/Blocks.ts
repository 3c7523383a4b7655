import type { Command } from "./Syntax.ts"

/** A compound command: the indices of its first and last command, and the subshells around it. */
export interface Block {
  readonly from: number
  readonly to: number
  readonly shells: ReadonlyArray<number>
}

export interface Blocks {
  readonly commands: ReadonlyArray<Command>
  /** The bodies of functions, by name. */
  readonly functions: ReadonlyMap<string, Block>
  /** The same by the index where they start, and those that another one of the same name replaces. */
  readonly bodies: ReadonlyMap<number, Block>
  /** The ends of the compound commands that start at an index, outermost first. */
  readonly ends: ReadonlyMap<number, ReadonlyArray<number>>
}

export const isOpener = (keyword: string): boolean => /^([({]|if|for|select|while|until)$/.test(keyword)

export const isCloser = (keyword: string): boolean => /^([)}]|fi|done)$/.test(keyword)

/** Pairs the starts and ends of compound commands. `case` needs no pair: it is always within another or on its own. */
export const blocksOf = (commands: ReadonlyArray<Command>): Blocks => {
  const functions = new Map<string, Block>()
  const bodies = new Map<number, Block>()
  const ends = new Map<number, Array<number>>()
  const open: Array<{ readonly from: number; readonly at: number; readonly name: string }> = []
  let defines = ""
  for (const [index, command] of commands.entries()) {
    if (command.defines !== "") defines = command.defines
    for (const keyword of command.keywords) {
      if (isOpener(keyword)) {
        const known = ends.get(index) ?? []
        open.push({ from: index, at: known.length, name: defines })
        known.push(index)
        ends.set(index, known)
        defines = ""
      } else if (isCloser(keyword)) {
        const { at = 0, from = index, name = "" } = open.pop() ?? {}
        const known = ends.get(from)
        if (known !== undefined) known[at] = index
        const shells = commands[from]?.shells ?? []
        const isGroup = keyword === ")"
        if (name === "") continue
        const body = { from, to: index, shells: isGroup ? shells.slice(0, -1) : shells }
        functions.set(name, body)
        bodies.set(from, body)
      }
    }
  }
  return { commands, functions, bodies, ends }
}
