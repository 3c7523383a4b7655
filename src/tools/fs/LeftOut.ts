import { cutText } from "../../domain/CutText.ts"
import { shownName } from "../../domain/ShownName.ts"
import { isSystemError, systemCode } from "../../domain/SystemError.ts"
import { reasonOf } from "../../files/FileErrors.ts"

/** The most names that are shown for one reason. */
const maxNames = 3

/** The longest name that is shown, in characters. */
const maxName = 200

/** What a search has left out, by the reason. Bounded, as long as the reasons are. */
export class LeftOut {
  private readonly groups = new Map<string, { readonly names: Array<string>; count: number }>()

  add(name: string, why: string): void {
    const group = this.groups.get(why) ?? { names: [], count: 0 }
    this.groups.set(why, group)
    group.count += 1
    if (group.names.length < maxNames) group.names.push(name)
  }

  /** One note for each reason: `left out: a.png, b.png, c.png and 12 more (binary)`. */
  get notes(): ReadonlyArray<string> {
    return [...this.groups].map(([why, { count, names }]) => {
      const shown = names.map((name) => shownName(name.length <= maxName ? name : `${cutText(name, maxName)}…`))
      const more = count > names.length ? ` and ${count - names.length} more` : ""
      return `left out: ${shown.join(", ")}${more} (${why})`
    })
  }
}

/** Why a file or folder could not be read that was there a moment before. */
export const unreadable = (error: unknown): string =>
  isSystemError(error) ? (reasonOf(error) ?? systemCode(error) ?? "unreadable") : "changed meanwhile"
