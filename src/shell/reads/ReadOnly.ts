import { planFind } from "./Find.ts"
import { planGit } from "./Git.ts"
import { type CommandRule, planWords } from "./Options.ts"
import { isBelow, type PlannedCommand, type PlannedWord } from "./ReadPlan.ts"
import type { Command, Script, Word } from "../Syntax.ts"

/**
 * The plan of a command line that only reads, and only below its working directory (runtime, The shell's read-only list):
 * what each word is. Every command, option and operand must be known; undefined if one is not, and then the line asks.
 */
export const planReads = ({ commands, features }: Script): ReadonlyArray<PlannedCommand> | undefined => {
  if (commands.length === 0 || features.size > 0) return undefined
  const planned = commands.map(planCommand)
  return planned.every((command) => command !== undefined) ? planned : undefined
}

const planCommand = ({ joins, joint, words }: Command): PlannedCommand | undefined => {
  const [name, ...rest] = words
  // A name that is partly quoted is the same name to the shell, but nobody writes it so without a reason.
  if (name === undefined || !name.isBare || name.globAt !== -1) return undefined
  if (!rest.every(isPlain)) return undefined
  const planned = planArguments(name.text, rest)
  return planned === undefined ? undefined : { joint, tool: name.text, words: planned, joins }
}

/**
 * False for a word that the shell would make something else of than its plan: a home directory, or names beyond the working
 * directory; and for half of a character, which is passed as another one.
 */
const isPlain = ({ globAt, parts, text }: Word): boolean =>
  !(text.startsWith("~") && parts[0]?.isQuoted === false) && (globAt === -1 || isBelow(text)) && text.isWellFormed()

const planArguments = (tool: string, words: ReadonlyArray<Word>): ReadonlyArray<PlannedWord> | undefined => {
  if (tool === "git") return planGit(words)
  if (tool === "find") return planFind(words)
  const rule = Object.hasOwn(rules, tool) ? rules[tool] : undefined
  return rule === undefined ? undefined : planWords(rule, words)
}

const rules: { readonly [name: string]: CommandRule } = {
  pwd: { flags: "LP", operands: "none" },
  ls: {
    flags: "aAbBcCdfFgGhHiklmnNopqQrRsStuUvxXZ1",
    // Only on Linux these take a value; elsewhere the next word is a path.
    files: "IwT",
    long: `all almost-all author escape block-size= ignore-backups color? directory classify? file-type format=
      full-time group-directories-first no-group human-readable si hide= hyperlink? indicator-style= inode ignore=
      kibibytes literal numeric-uid-gid hide-control-chars show-control-chars quote-name quoting-style= reverse recursive
      size sort= time= time-style= tabsize= width= context zero help version`
  },
  cat: {
    flags: "AbeEnstTuv",
    long: "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting help version"
  },
  head: {
    flags: "qvz",
    texts: "cn",
    isNumeric: true,
    long: "bytes= lines= quiet silent verbose zero-terminated"
  },
  tail: {
    flags: "fFqrvz",
    texts: "bcns",
    isNumeric: true,
    long: "bytes= lines= follow? quiet silent verbose zero-terminated retry pid= sleep-interval="
  },
  wc: { flags: "cmlLw", long: "bytes chars lines max-line-length words total=" },
  stat: {
    flags: "fLtx",
    texts: "c",
    long: "dereference file-system format= printf= terse cached="
  },
  file: {
    flags: "bhikLnNrv0",
    texts: "F",
    long: "brief mime mime-type mime-encoding no-pad no-dereference print0 separator= keep-going raw extension"
  },
  du: {
    flags: "abchkmsSx0",
    texts: "dtB",
    long: `all apparent-size bytes total max-depth= human-readable si summarize separate-dirs one-file-system exclude=
      threshold= time? time-style= block-size= null count-links`
  },
  df: {
    flags: "ahHiklmPT",
    texts: "Btx",
    long: "all total human-readable si inodes local portability print-type type= exclude-type= block-size= sync"
  },
  date: {
    flags: "uRI",
    texts: "d",
    files: "r",
    long: "utc universal rfc-email rfc-3339= iso-8601? date= reference=@",
    operands: "text",
    maxOperands: 1,
    // An operand that is no format sets the clock; a time zone in a date is the name of a file.
    check: ({ operands, values }) =>
      operands.every(({ text }) => text.startsWith("+")) && !values.some((value) => value.includes("TZ="))
  },
  uname: {
    flags: "asnrvmpio",
    long: "all kernel-name nodename kernel-release kernel-version machine processor hardware-platform operating-system",
    operands: "none"
  },
  whoami: { long: "help version", operands: "none" },
  id: { flags: "augGnrzZ", long: "context group groups name real user zero", operands: "text" },
  which: { flags: "as", long: "all" },
  echo: { isInert: true },
  printf: { operands: "printed" },
  true: { isInert: true },
  grep: {
    flags: "abcEFGhHiIlLnopPqrsTUvwxyzZ0123456789",
    texts: "ABCmedD",
    files: "f",
    long: `color? colour? count ignore-case no-ignore-case invert-match word-regexp line-regexp extended-regexp
      fixed-strings basic-regexp perl-regexp regexp= file=@ files-with-matches files-without-match max-count=
      only-matching quiet silent no-messages byte-offset with-filename no-filename label= line-number initial-tab null
      after-context= before-context= context= text binary-files= exclude= include= exclude-dir= recursive null-data
      line-buffered directories= devices=`,
    operands: "pattern"
  },
  rg: {
    flags: "acFhHiIlnNopPqsSuUvVwx0.",
    texts: "ABCegtTmMjrEd",
    files: "f",
    long: `after-context= before-context= context= byte-offset case-sensitive color= colors= column count count-matches
      crlf encoding= engine= file=@ files files-with-matches files-without-match fixed-strings glob= glob-case-insensitive
      heading no-heading hidden no-hidden iglob= ignore-case include-zero invert-match json line-number no-line-number
      line-regexp max-columns= max-columns-preview max-count= max-depth= max-filesize= multiline multiline-dotall no-config
      no-filename no-ignore no-ignore-vcs no-messages null null-data one-file-system only-matching passthru pcre2 pretty
      quiet regexp= replace= smart-case sort= sortr= stats text threads= trim type= type-not= type-list unrestricted
      vimgrep with-filename word-regexp help version`,
    operands: "pattern"
  },
  sort: {
    flags: "bdfghimMnrRVcCsuz",
    texts: "kt",
    long: `ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort
      human-numeric-sort numeric-sort random-sort reverse version-sort sort= check? key= field-separator= merge stable unique
      zero-terminated parallel=`
  },
  uniq: {
    flags: "cdDiuz",
    texts: "fsw",
    long: `count repeated all-repeated? group? skip-fields= ignore-case skip-chars= unique zero-terminated check-chars=`,
    // The second operand is written to.
    maxOperands: 1
  },
  cut: {
    flags: "nsz",
    texts: "bcdf",
    long: "bytes= characters= delimiter= fields= complement only-delimited output-delimiter= zero-terminated"
  },
  tr: { flags: "cCdst", long: "complement delete squeeze-repeats truncate-set1", operands: "text" },
  diff: {
    flags: "abBcdefiEHnNpqrsTtuwyZ",
    texts: "CFILSUWx",
    long: `brief report-identical-files context? unified? ed normal rcs side-by-side width= left-column
      suppress-common-lines show-c-function show-function-line= label= expand-tabs initial-tab tabsize= suppress-blank-empty
      recursive no-dereference new-file unidirectional-new-file ignore-file-name-case no-ignore-file-name-case exclude=
      starting-file= ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change ignore-all-space
      ignore-blank-lines ignore-matching-lines= text strip-trailing-cr minimal horizon-lines= speed-large-files color?`
  },
  cmp: {
    flags: "bls",
    texts: "ni",
    long: "print-bytes verbose quiet silent bytes= ignore-initial="
  },
  tree: {
    flags: "adfipugshDFrtUcnvJXCSNqQx",
    texts: "LPIT",
    isDetached: true,
    // Whether one of these takes the next word depends on the version, so that word must be allowed as a path too.
    long: `dirsfirst filesfirst noreport charset? filelimit? prune matchdirs ignore-case du si timefmt? sort?
      inodes device help version`
  },
  basename: { flags: "az", texts: "s", long: "multiple suffix= zero" },
  dirname: { flags: "z", long: "zero" },
  realpath: {
    flags: "emLPqsz",
    long: "canonicalize-existing canonicalize-missing logical physical quiet strip no-symlinks zero relative-to=@ relative-base=@"
  },
  readlink: {
    flags: "femnqsvz",
    long: "canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero"
  }
}
