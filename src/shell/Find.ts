import { isBelow } from "./Options.ts"
import type { Word } from "./Syntax.ts"

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

/** True if `find` with these arguments only lists: it runs, deletes and writes nothing and follows no links. */
export const findReads = (words: ReadonlyArray<Word>): boolean => {
  // A pattern could expand to the name of an action.
  if (words.some(({ globAt }) => globAt !== -1)) return false
  let index = words[0]?.text === "-P" ? 1 : 0
  while (index < words.length && !/^[-(),!]/.test(words[index]?.text ?? "")) {
    if (!isBelow(words[index]?.text ?? "")) return false
    index += 1
  }
  while (index < words.length) {
    const primary = words[index++]?.text ?? ""
    if (alone.has(primary)) continue
    const value = words[index++]?.text
    if (value === undefined) return false
    if (withText.has(primary)) continue
    if (!withFile.has(primary) || !isBelow(value)) return false
  }
  return true
}
