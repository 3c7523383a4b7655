import { type CommandRule, type Parsed, planWords } from "./Options.ts"
import { plainText, type PlannedWord } from "./ReadPlan.ts"
import type { Word } from "../Syntax.ts"

/** The words of a `git` that only lists (runtime, The shell's read-only list). Patterns of names are for git to match. */
export const planGit = (words: ReadonlyArray<Word>): ReadonlyArray<PlannedWord> | undefined => {
  const first = words.findIndex(({ text }) => text !== "--no-pager" && text !== "-P")
  const name = words[first]
  if (name === undefined || !name.isBare || name.globAt !== -1) return undefined
  const rule = Object.hasOwn(rules, name.text) ? rules[name.text] : undefined
  const rest = words.slice(first + 1)
  // A path that begins with a colon is "pathspec magic": it can mean the whole repository.
  if (rule === undefined || rest.some(({ text }) => text.startsWith(":"))) return undefined
  const planned = planWords({ operands: "literal", ...rule }, rest)
  return planned === undefined
    ? undefined
    : [...words.slice(0, first + 1).map(({ text }) => plainText(text)), ...planned]
}

/** A format that shows a signature's validity makes git run a program. */
const checksNoSignature = ({ values }: Parsed): boolean => !values.some((value) => /%[-+ ]?G/.test(value))

const selecting = `all branches? tags? remotes? author= committer= grep= since= until= after= before= max-count= skip= merges
  no-merges first-parent reverse invert-grep all-match regexp-ignore-case extended-regexp fixed-strings topo-order
  date-order author-date-order graph cherry cherry-pick left-right left-only right-only boundary simplify-by-decoration
  follow full-history ancestry-path? merge-base`

const showing = `oneline decorate? no-decorate decorate-refs= pretty? format= date= relative-date abbrev-commit
  no-abbrev-commit abbrev? color? no-color source parents children notes? no-notes encoding= no-show-signature`

const differing = `patch no-patch stat? shortstat numstat dirstat? name-only name-status summary unified= raw minimal
  patience histogram diff-algorithm= diff-filter= word-diff? word-diff-regex= color-words? color-moved? ignore-all-space
  ignore-space-change ignore-space-at-eol ignore-blank-lines ignore-cr-at-eol find-renames? find-copies? no-renames
  full-index binary text exit-code quiet check function-context inter-hunk-context= no-ext-diff no-textconv no-prefix
  relative? cc combined-all-paths pickaxe-all pickaxe-regex compact-summary`

const history: CommandRule = {
  flags: "pusciEFgmMCzwbaRWqt0123456789",
  texts: "nSGU",
  files: "L",
  long: `${selecting} ${showing} ${differing}`,
  isNumeric: true,
  check: checksNoSignature
}

const rules: { readonly [name: string]: CommandRule } = {
  status: {
    // `-uno`, `-uall`, `-unormal`
    flags: "sbvzunoalrm",
    long: `short branch verbose porcelain? long untracked-files? ignored? show-stash ahead-behind
      no-ahead-behind renames no-renames column? no-column`
  },
  log: history,
  show: history,
  diff: { ...history, long: `cached staged merge-base base ours theirs color? no-color abbrev? ${differing}` },
  blame: {
    flags: "bclwMCtsefnp0123456789",
    files: "L",
    long: `root show-stats since= date= score-debug show-name show-number show-email porcelain line-porcelain
      incremental abbrev= color-lines color-by-age`
  },
  branch: {
    flags: "arv",
    long: `all remotes verbose list show-current sort= format= color? no-color abbrev= no-abbrev column? no-column
      ignore-case omit-empty contains no-contains merged no-merged points-at=`,
    // Without one of these options a name creates a branch. Formats and orders can name a signature, as above.
    check: (parsed) => {
      const lists = parsed.options.some((option) => /^--(list|(no-)?(contains|merged)|points-at)$/.test(option))
      return (parsed.operands.length === 0 || lists) && !parsed.values.some((value) => value.includes("signature"))
    }
  },
  "rev-parse": {
    flags: "q",
    long: `verify quiet short? abbrev-ref? symbolic symbolic-full-name show-toplevel show-prefix show-cdup git-dir
      absolute-git-dir git-common-dir is-inside-git-dir is-inside-work-tree is-bare-repository is-shallow-repository
      all branches? tags? remotes? show-object-format?`
  },
  "ls-files": {
    flags: "cdmoisuktvzf",
    texts: "x",
    long: `cached deleted modified others ignored stage unmerged killed exclude= exclude-standard full-name error-unmatch
      abbrev? directory no-empty-directory deduplicate eol`
  },
  remote: { flags: "v", long: "verbose", operands: "none" }
}
