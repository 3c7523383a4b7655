import * as NodePath from "node:path"
import { textOf } from "./GitFile.ts"

/** True if the configuration in a folder of a repository has only settings that are known to be harmless. */
export const hasPlainConfig = async (folder: string): Promise<boolean> => {
  for (const name of ["config", "config.worktree"]) {
    const text = await textOf(NodePath.join(folder, name), "latin1")
    if (text === undefined || !isPlainConfig(text)) return false
  }
  return true
}

/**
 * The settings that a repository may have: whole keys, `*` for any subsection. None of them makes git run, connect to,
 * include or read something else. Programs write many of them: git, git-lfs, gh, editors.
 */
const allowed = new Set(
  Object.entries({
    core: `repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol
      safecrlf quotepath compression loosecompression bigfilethreshold untrackedcache preloadindex protecthfs protectntfs
      longpaths fscache abbrev checkstat trustctime whitespace commentchar sharedrepository commitgraph multipackindex
      sparsecheckout sparsecheckoutcone hookspath`,
    extensions: "objectformat worktreeconfig relativeworktrees preciousobjects noop",
    "remote.*": `url pushurl fetch push tagopt prune prunetags mirror skipdefaultupdate skipfetchall gh-resolved
      github-pr-remote`,
    remote: "pushdefault",
    "branch.*": `remote merge pushremote rebase description gh-merge-base vscode-merge-base github-pr-owner-number
      github-pr-base-branch gk-merge-base gk-merge-target gk-last-accessed gk-last-modified gk-associated-issues`,
    branch: "autosetupmerge autosetuprebase",
    "submodule.*": "url active branch",
    submodule: "active",
    user: "name email signingkey useconfigonly",
    author: "name email",
    committer: "name email",
    commit: "gpgsign verbose cleanup",
    tag: "gpgsign forcesignannotated",
    color: "ui branch decorate diff grep interactive pager push showbranch status transport",
    "color.*": `added advice author branch changed commit context current decorate error filename frag function hash head
      header hint local localbranch meta new newmoved oldmoved nobranch old plain ref remote remotebranch reset stash success
      symbolic tag unmerged untracked updated upstream warning whitespace worktree`,
    column: "ui branch status tag",
    index: "sparse version threads",
    init: "defaultbranch",
    log: "date decorate abbrevcommit follow",
    status: "short branch relativepaths showuntrackedfiles showstash aheadbehind renames renamelimit",
    merge: "ff conflictstyle",
    pull: "rebase ff",
    push: "default autosetupremote followtags",
    fetch: "prune prunetags all parallel output writecommitgraph",
    rebase: "autosquash autostash updaterefs",
    rerere: "enabled autoupdate",
    gc: "auto autodetach",
    maintenance: "auto strategy",
    lfs: "repositoryformatversion url pushurl access locksverify fetchinclude fetchexclude",
    "lfs.*": "access locksverify",
    "gitflow.*": "master develop main feature bugfix release hotfix support versiontag"
  }).flatMap(([section, names]) => names.split(/\s+/).map((name) => `${section}.${name}`))
)

const isAllowed = (section: string, hasSubsection: boolean, name: string): boolean =>
  allowed.has(hasSubsection ? `${section}.*.${name}` : `${section}.${name}`) || (section === "advice" && !hasSubsection)

const header = /^\[([A-Za-z0-9-]+)(?:[ \t]+("(?:[^"\\]|\\.)*"))?\][ \t]*/
const setting = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:$|=)/
/** A value that is whole in its line: each quote closed, each escape known. A comment may follow. */
const value = /^(?:[^"\\#;]|\\[tbn\\"]|"(?:[^"\\]|\\[tbn\\"])*")*(?:[#;].*)?$/

/**
 * True if every setting of a configuration, read byte by byte (latin1), is known to be harmless. What git could read in
 * another way than line by line, a value that goes on behind its line for one, is not.
 */
export const isPlainConfig = (text: string): boolean => {
  const lines = text.split(/\r?\n/)
  let section: { readonly name: string; readonly hasSubsection: boolean } | undefined
  for (const raw of lines) {
    // oxlint-disable-next-line no-control-regex
    if (/[\0-\x08\x0b-\x1f\x7f]|\\$/.test(raw)) return false
    let line = raw.replace(/^[ \t]+/, "")
    const [whole, name, subsection] = header.exec(line) ?? []
    if (whole !== undefined && name !== undefined) {
      section = { name: name.toLowerCase(), hasSubsection: subsection !== undefined }
      line = line.slice(whole.length)
    }
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue
    const [start, key] = setting.exec(line) ?? []
    if (start === undefined || key === undefined || section === undefined) return false
    if (!isAllowed(section.name, section.hasSubsection, key.toLowerCase())) return false
    if (!value.test(line.slice(start.length))) return false
  }
  return true
}
