import { isBelow, operand, plainText, type PlannedWord } from "./ReadPlan.ts"
import type { Word } from "../Syntax.ts"

const alone = new Set(
  `-print -print0 -ls -depth -d -mount -xdev -prune -true -false -empty -daystart -noleaf -nouser -nogroup -readable
  -writable -executable -not -a -and -o -or -quit -ignore_readdir_race -noignore_readdir_race -warn -nowarn ( ) ! ,`.split(
    /\s+/
  )
)

const withText = new Set(
  `-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname -type -xtype -size -mtime
  -atime -ctime -mmin -amin -cmin -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -fstype -used -printf
  -newermt -newerat -newerct`.split(/\s+/)
)

const withFile = new Set("-newer -anewer -cnewer -samefile".split(" "))

/** The words of a `find` that only lists: it runs, deletes and writes nothing and follows no links. */
export const planFind = (words: ReadonlyArray<Word>): ReadonlyArray<PlannedWord> | undefined => {
  const planned: Array<PlannedWord> = []
  let index = 0
  if (words[0]?.text === "-P") planned.push(plainText(words[index++]?.text ?? ""))
  for (; index < words.length; index++) {
    const word = words[index]
    if (word === undefined || /^[-(),!]/.test(word.text)) break
    if (!isBelow(word.text)) return undefined
    planned.push(operand(word))
  }
  while (index < words.length) {
    const primary = words[index++]?.text ?? ""
    planned.push(plainText(primary))
    if (alone.has(primary)) continue
    const value = words[index++]
    if (value === undefined) return undefined
    // A time zone in a date is the name of a file.
    if (primary.startsWith("-newer") && value.text.includes("TZ=")) return undefined
    if (withText.has(primary)) planned.push(plainText(value.text))
    else if (withFile.has(primary) && isBelow(value.text) && value.globAt === -1) {
      planned.push({ _tag: "Name", prefix: "", name: value.text })
    } else return undefined
  }
  return planned
}
