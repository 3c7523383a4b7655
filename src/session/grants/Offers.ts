import { Buffer } from "node:buffer"
import * as NodePath from "node:path"
import { cutText } from "../../domain/CutText.ts"
import type { GrantableCommand, GrantSubject } from "../../domain/GrantSubject.ts"
import { quotedWord } from "../../domain/QuotedWord.ts"
import { visibleLine } from "../../domain/VisibleText.ts"
import { isWithin } from "../../files/PathScope.ts"
import type { Grant, Offer } from "../../protocol/Grant.ts"
import { covering, type HeldGrant } from "./Covers.ts"

/** The longest grant that is offered, in bytes of its JSON, and the longest label, in characters. */
const maxBytes = 4096
const maxLabel = 300

/**
 * What else a yes to a call can cover, from narrow to wide: grants that cover it, together with those that are `held`. `home` is
 * the real home directory.
 */
export const offersOf = (
  subject: GrantSubject,
  held: ReadonlyArray<HeldGrant>,
  home: string | undefined
): ReadonlyArray<Offer> =>
  candidates(subject, held, home).filter(
    ({ grant }) =>
      Buffer.byteLength(JSON.stringify(grant)) <= maxBytes &&
      covering([...held, { given: grant, real: grant }], subject) !== undefined
  )

const candidates = (
  subject: GrantSubject,
  held: ReadonlyArray<HeldGrant>,
  home: string | undefined
): ReadonlyArray<Offer> => {
  switch (subject.kind) {
    case "read":
    case "write": {
      const { kind, paths } = subject
      const verb = kind === "read" ? "Read" : "Write"
      const [first = "", ...others] = paths
      const file = others.every((path) => path === first) ? [offer({ kind, path: first }, `${verb} ${first}`)] : []
      const folder = folderOf(paths)
      if (isWide(folder, home)) return file
      return [...file, offer({ kind, path: folder }, `${verb} everything in ${folder}`)]
    }
    case "command": {
      const open = subject.commands.filter(
        (command) => covering(held, { kind: "command", commands: [command] }) === undefined
      )
      // One grant must be enough.
      return open.slice(0, 1).flatMap(commandOffers)
    }
    case "host":
      return [offer(subject, `Send requests to ${subject.host}`)]
    case "script":
      return [offer(subject, `Run the script ${subject.script} of the skill ${subject.skill}`)]
    case "mcp": {
      const { server, tool } = subject
      return [
        offer(subject, `Call ${tool} of ${server}`),
        offer({ kind: "mcp", server }, `Call all tools of ${server}`)
      ]
    }
  }
}

const commandOffers = ({ argv, classLength = argv.length, isExact }: GrantableCommand): ReadonlyArray<Offer> =>
  [...new Set([argv.length, classLength])].map((length) => {
    const words = argv.slice(0, length)
    return offer(
      { kind: "command", argv: words },
      `Run ${isExact ? "" : "what begins with "}${words.map(quotedWord).join(" ")}`
    )
  })

const offer = (grant: Grant, label: string): Offer => ({ grant, label: cutText(visibleLine(label), maxLabel) })

/** The deepest folder that all paths lie in. */
const folderOf = ([first = "", ...others]: ReadonlyArray<string>): string => {
  let folder = NodePath.dirname(first)
  while (NodePath.dirname(folder) !== folder && !others.every((path) => isWithin(folder, path) && path !== folder)) {
    folder = NodePath.dirname(folder)
  }
  return folder
}

/** True for a folder that is not offered: the root and what lies in it, a home directory or one around it, a hidden one. */
const isWide = (folder: string, home: string | undefined): boolean => {
  const names = folder.split(/[/\\]+/).filter((name) => name !== "")
  return (
    names.length < 2 || names.some((name) => name.startsWith(".")) || (home !== undefined && isWithin(folder, home))
  )
}
