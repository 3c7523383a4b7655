import { cpSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from "node:fs"
import * as NodePath from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { hasOnlyOwnFiles } from "../../../src/tools/shell/git/GitFolder.ts"
import { plant, temporaryDirectory } from "../fixture.ts"
import { access, git, initialize, judged, silently } from "./git/repository.ts"

const { join } = NodePath

/** An empty folder `root` beside which other folders can be made. */
const place = Effect.map(temporaryDirectory, (all) => {
  plant(all, { "root/": "", "other/": "" })
  return { all, root: join(all, "root"), other: join(all, "other") }
})

/** What a user sees, undefined if git fails. */
const shown = (root: string, words: ReadonlyArray<string>): string | undefined => {
  try {
    return git(root, "--no-pager", ...words)
  } catch {
    return undefined
  }
}

describe("an ordinary repository is read without a question", () => {
  const ordinary: ReadonlyArray<readonly [what: string, make: (root: string, other: string) => void]> = [
    ["that is empty", (root) => git(root, "init", ".")],
    ["with a commit", initialize],
    [
      "that was cloned",
      (root, other) => {
        initialize(other)
        git(root, "clone", other, ".")
      }
    ],
    [
      "that was cloned without its past",
      (root, other) => {
        initialize(other)
        git(other, "commit", "-am", "second")
        git(root, "clone", "--depth=1", `file://${other}`, ".")
        assert.isTrue(lstatSync(join(root, ".git/shallow")).isFile())
      }
    ],
    [
      "in the midst of a merge",
      (root) => {
        initialize(root)
        git(root, "checkout", "-b", "side")
        git(root, "commit", "-am", "side")
        git(root, "checkout", "main")
        plant(root, { a: "three\n" })
        git(root, "commit", "-am", "main")
        assert.throws(() => git(root, "merge", "side"))
      }
    ],
    [
      "in the midst of a rebase",
      (root) => {
        initialize(root)
        git(root, "commit", "-am", "second")
        assert.throws(() => git(root, "rebase", "--exec", "false", "--root"))
      }
    ],
    [
      "with a detached head, a stash, a tag and packed branches",
      (root) => {
        initialize(root)
        git(root, "stash")
        git(root, "tag", "-m", "one", "v1")
        git(root, "checkout", "--detach")
        git(root, "pack-refs", "--all")
        git(root, "gc")
      }
    ],
    [
      "with notes, a replaced commit, a reflog and a commit-graph",
      (root) => {
        initialize(root)
        git(root, "commit", "-am", "second")
        git(root, "notes", "add", "-m", "note")
        git(root, "replace", "--graft", "HEAD")
        git(root, "commit-graph", "write", "--reachable")
        git(root, "repack", "-ad")
        git(root, "multi-pack-index", "write")
      }
    ],
    [
      "with a submodule",
      (root, other) => {
        initialize(root)
        initialize(other)
        git(root, "-c", "protocol.file.allow=always", "submodule", "add", other, "inner")
        git(root, "commit", "-m", "inner")
      }
    ],
    [
      "with a sparse work tree",
      (root) => {
        initialize(root)
        git(root, "sparse-checkout", "set", "--cone", "sub")
      }
    ],
    [
      "that other programs have written into",
      (root) => {
        initialize(root)
        for (const [key, value] of [
          ["lfs.repositoryformatversion", "0"],
          ["lfs.https://example.com/a.git/info/lfs.access", "basic"],
          ["branch.main.vscode-merge-base", "origin/main"],
          ["remote.origin.gh-resolved", "base"],
          ["core.hooksPath", ".husky/_"],
          ["branch.main.description", "two\nlines"]
        ] as const) {
          git(root, "config", key, value)
        }
        plant(root, { ".git/lfs/objects/x": "", ".git/hooks/": "" })
        symlinkSync("/etc/passwd", join(root, ".git/lfs/link"))
        rmSync(join(root, ".git/hooks"), { recursive: true })
        symlinkSync("../hooks", join(root, ".git/hooks"))
      }
    ]
  ]

  it.effect.each(ordinary)("%s, and git shows what it shows anyway", ([, make]) =>
    Effect.gen(function* () {
      const { other, root } = yield* place
      make(root, other)
      const given = yield* access(root)
      assert.strictEqual(yield* judged(root), "silent")
      for (const words of [
        ["status"],
        ["log", "-p"],
        ["diff", "HEAD"],
        ["branch", "-avv"],
        ["blame", "a"],
        ["ls-files"]
      ]) {
        const outcome = yield* silently(given, root, ...words)
        assert.deepStrictEqual(
          { words, stdout: outcome.status === 0 ? outcome.stdout : undefined },
          { words, stdout: shown(root, words) }
        )
      }
    }).pipe(Effect.scoped)
  )

  it.effect("seen from below, where names are told as seen from there", () =>
    Effect.gen(function* () {
      const { root } = yield* place
      initialize(root)
      const sub = join(root, "sub")
      const given = yield* access(sub, root)
      const outcome = yield* silently(given, sub, "status", "--short")
      assert.deepStrictEqual(outcome, { status: 0, stdout: " M ../a\n", stderr: "" })
      assert.strictEqual((yield* silently(given, sub, "rev-parse", "--show-prefix")).stdout, "sub/\n")
      assert.strictEqual((yield* silently(given, sub, "rev-parse", "--show-toplevel")).stdout, `${root}\n`)
    }).pipe(Effect.scoped)
  )

  it.effect("and none is no repository, wherever git would go on looking", () =>
    Effect.gen(function* () {
      const { root } = yield* place
      const given = yield* access(root)
      initialize(NodePath.dirname(root))
      const outcome = yield* silently(given, root, "log")
      assert.strictEqual(outcome.status, 128)
      assert.include(outcome.stderr, "not a git repository")
    }).pipe(Effect.scoped)
  )

  it.effect("and where there is none, two folders are compared by what is in them, not by where links lead", () =>
    Effect.gen(function* () {
      const { other, root } = yield* place
      plant(other, { secret: "hidden\n" })
      plant(root, { "x/": "", "y/a": "y\n" })
      for (const name of ["secret", "."]) link(join(root, "x", `to-${name}`), join(other, name))
      const { stdout } = yield* silently(yield* access(root), root, "diff", "x", "y")
      assert.include(stdout, "+y\n")
      assert.notInclude(stdout, "hidden")
    }).pipe(Effect.scoped)
  )
})

describe("a repository is read by the folders that were judged", () => {
  it.effect("and those outside of the working directory are named", () =>
    Effect.gen(function* () {
      const { all, other, root } = yield* place
      initialize(root)
      const sub = join(root, "sub")
      assert.strictEqual(yield* judged(sub), root)
      assert.strictEqual(yield* judged(sub, root), "silent")
      git(root, "worktree", "add", join(other, "tree"))
      const tree = join(other, "tree")
      assert.strictEqual(yield* judged(tree), join(root, ".git"))
      assert.strictEqual(yield* judged(tree, all), "silent")
      const given = yield* access(tree, all)
      plant(tree, { a: "changed" })
      assert.strictEqual((yield* silently(given, tree, "status", "--short")).stdout, " M a\n")
      assert.strictEqual((yield* silently(given, tree, "branch", "--show-current")).stdout, "tree\n")
      plant(other, { "apart/": "" })
      git(join(other, "apart"), "init", "--separate-git-dir", join(all, "gitdir"), ".")
      assert.strictEqual(yield* judged(join(other, "apart")), join(all, "gitdir"))
      git(root, "config", "core.fsmonitor", "./evil")
      for (const path of [root, sub, tree]) assert.strictEqual(yield* judged(path), "unsafe")
    }).pipe(Effect.scoped)
  )

  it.effect("not below a folder that is a repository itself", () =>
    Effect.gen(function* () {
      const { root } = yield* place
      initialize(root)
      git(root, "init", "--bare", "bare")
      for (const path of ["bare", "bare/refs", ".git", ".git/refs"]) {
        assert.strictEqual(yield* judged(join(root, path), root), "unsafe")
      }
    }).pipe(Effect.scoped)
  )

  /** `root` is a repository; each makes git see another one, or might. */
  const elsewhere: ReadonlyArray<readonly [what: string, make: (root: string, other: string) => void]> = [
    ["a .git that is an empty folder", (root) => renameSync(join(root, ".git"), join(NodePath.dirname(root), ".git"))],
    ["a .git without a HEAD", (root) => rmSync(join(root, ".git/HEAD"))],
    ["a .git without objects", (root) => rmSync(join(root, ".git/objects"), { recursive: true })],
    ["a .git without branches", (root) => rmSync(join(root, ".git/refs"), { recursive: true })],
    ["a link for its .git", (root, other) => link(join(root, ".git"), join(other, ".git"))],
    ["nonsense for its .git", (root) => file(root, "nonsense")],
    ["a .git file that says nothing", (root) => file(root, "gitdir: \n")],
    ["a .git file of two lines", (root, other) => file(root, `gitdir: ${other}/.git\nmore\n`)],
    ["a .git file with a NUL", (root, other) => file(root, `gitdir: ${other}/.git\0x\n`)],
    ["a .git file with a blank before the path", (root, other) => file(root, `gitdir:  ${other}/.git\n`)],
    [
      "a .git file that ends with a blank",
      (root, other) => {
        // As judged without the blank it is harmless; git reads the folder that has the blank.
        renameSync(join(root, ".git"), join(root, "real"))
        renameSync(join(other, ".git"), join(root, "real "))
        git(root, "config", "-f", join(root, "real /config"), "core.fsmonitor", "./evil")
        plant(root, { ".git": "gitdir: real \n" })
      }
    ],
    ["a common folder", (root, other) => plant(root, { ".git/commondir": `${other}/.git\n` })],
    ["a common folder of no name", (root) => plant(root, { ".git/commondir": "\n" })],
    [
      "a common folder that ends with a blank",
      (root, other) => {
        renameSync(join(other, ".git"), join(root, ".git/x "))
        plant(root, { ".git/commondir": "x \n", ".git/x/objects/": "", ".git/x/refs/": "", ".git/x/HEAD": "" })
      }
    ],
    [
      "a worktree of another that does not list it",
      (root, other) => {
        git(other, "worktree", "add", "tree")
        file(root, `gitdir: ${other}/.git/worktrees/tree\n`)
      }
    ]
  ]
  const file = (root: string, text: string) => {
    rmSync(join(root, ".git"), { recursive: true })
    plant(root, { ".git": text })
  }

  it.effect.each(elsewhere)("not with %s", ([, make]) =>
    Effect.gen(function* () {
      const { other, root } = yield* place
      initialize(root)
      initialize(other)
      assert.strictEqual(yield* judged(root), "silent")
      make(root, other)
      if (!readdirSync(root).includes(".git")) mkdirSync(join(root, ".git"))
      assert.strictEqual(yield* judged(root), "unsafe")
    }).pipe(Effect.scoped)
  )
})

/** Puts a link where a file or a folder may have been. */
const link = (path: string, target: string) => {
  rmSync(path, { recursive: true, force: true })
  mkdirSync(NodePath.dirname(path), { recursive: true })
  symlinkSync(target, path)
}

describe("a repository that reaches for other files is not read without a question", () => {
  const links =
    `HEAD index packed-refs refs refs/heads refs/heads/x refs/notes/commits logs logs/HEAD logs/refs/heads/main
    objects objects/pack objects/info objects/00 objects/00/00000000000000000000000000000000000000 objects/pack/pack-0.idx
    objects/info/commit-graph objects/info/alternates info info/grafts info/attributes info/exclude info/sparse-checkout
    shallow config config.worktree commondir MERGE_HEAD MERGE_MSG CHERRY_PICK_HEAD BISECT_LOG BISECT_START FETCH_HEAD
    rebase-merge rebase-merge/done rebase-merge/git-rebase-todo rebase-merge/head-name rebase-apply/next sequencer/todo
    worktrees worktrees/x/HEAD worktrees/x/gitdir remotes/origin branches/origin sharedindex.0 AUTO_MERGE`.split(/\s+/)

  it.effect("with a link, whatever it is for", () =>
    Effect.gen(function* () {
      const { all, other, root } = yield* place
      initialize(root)
      for (const name of links) {
        const copy = join(all, "copy")
        cpSync(root, copy, { recursive: true })
        assert.strictEqual(yield* judged(copy), "silent")
        link(join(copy, ".git", name), other)
        assert.strictEqual(yield* judged(copy), "unsafe", name)
        rmSync(copy, { recursive: true })
      }
    }).pipe(Effect.scoped)
  )

  const others: ReadonlyArray<readonly [what: string, make: (root: string, other: string) => void]> = [
    ["borrowed objects", (root, other) => plant(root, { ".git/objects/info/alternates": `${other}/.git/objects\n` })],
    ["a split index", (root) => git(root, "update-index", "--split-index")],
    [
      "a folder whose name is no text",
      (root) => mkdirSync(Buffer.concat([Buffer.from(join(root, ".git/refs/heads/")), Buffer.from([0xff])]))
    ],
    [
      "a worktree of which another folder is the repository",
      (root, other) =>
        plant(root, {
          ".git/worktrees/w/HEAD": "ref: refs/heads/zz\n",
          ".git/worktrees/w/gitdir": `${root}/wt/.git\n`,
          ".git/worktrees/w/commondir": `${other}\n`
        })
    ],
    [
      "a worktree that leads to a folder of the working directory",
      (root) => plant(root, { ".git/worktrees/w/commondir": "../../../fake\n", ".git/worktrees/w/HEAD": "ref: x\n" })
    ],
    [
      "a link in a worktree's folder",
      (root) => {
        git(root, "worktree", "add", "tree")
        link(join(root, ".git/worktrees/tree/logs/HEAD"), "/etc/passwd")
      }
    ]
  ]

  it.effect.each(others)("with %s", ([, make]) =>
    Effect.gen(function* () {
      const { other, root } = yield* place
      initialize(root)
      make(root, other)
      assert.strictEqual(yield* judged(root), "unsafe")
    }).pipe(Effect.scoped)
  )

  it.effect("nor with more files than can be looked at", () =>
    Effect.gen(function* () {
      const { root } = yield* place
      initialize(root)
      const isRead = (maxEntries: number) => Effect.promise(() => hasOnlyOwnFiles(join(root, ".git"), maxEntries))
      assert.isTrue(yield* isRead(1000))
      assert.isFalse(yield* isRead(10))
    }).pipe(Effect.scoped)
  )
})
