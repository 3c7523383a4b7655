import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import * as NodePath from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { gitAccess } from "../../../src/tools/shell/GitAccess.ts"
import { isPlainConfig } from "../../../src/tools/shell/git/GitConfig.ts"
import { plant, temporaryDirectory } from "../fixture.ts"

const plain = [
  "",
  "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n",
  '[remote "origin"]\n\turl = git@example.com:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n',
  '[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n',
  "[user]\n\tname = Ada [core] fsmonitor\n\temail = ada@example.com\n",
  "# [core] fsmonitor = x\n; [alias]\n[color] ui = auto"
]

const telling = [
  "[core]\n\tfsmonitor = ./evil",
  "[core] fsmonitor = ./evil",
  "[CORE]\n\tFsMonitor = ./evil",
  "[core]\n\thooksPath = .",
  "[core]\n\tpager = ./evil",
  "[core]\n\tsshCommand = ./evil",
  "[core]\n\tworktree = /",
  '[filter "x"]\n\tclean = ./evil',
  '[diff "x"]\n\ttextconv = ./evil',
  "[diff]\n\texternal = ./evil",
  "[gpg]\n\tprogram = ./evil",
  "[include]\n\tpath = other",
  '[includeIf "gitdir:/"]\n\tpath = other',
  "[alias]\n\tlog = !evil",
  "[pager]\n\tlog = ./evil",
  "[extensions]\n\tworktreeConfig = true",
  "[log]\n\tshowSignature = true",
  "[user]\n\tname = a\\\n[core]\n\tfsmonitor = x",
  "[core]\n\tfilemode = true\n[core]\n\tfsmonitor = ./evil",
  '[core "x"]\n\tfsmonitor = ./evil',
  "[core.x]\n\tfsmonitor = ./evil",
  "[core",
  "fsmonitor = x",
  "[submodule]\n\tfetchCommand = x"
]

describe("a git configuration", () => {
  it.each(plain)("that only says where things are: %j", (config) => assert.isTrue(isPlainConfig(config)))
  it.each(telling)("that names a program, or that is not understood: %j", (config) =>
    assert.isFalse(isPlainConfig(config))
  )
})

const link = (path: string, target: string) => {
  rmSync(path, { recursive: true })
  symlinkSync(target, path)
}

describe("a repository", () => {
  const repository = Effect.gen(function* () {
    const root = yield* temporaryDirectory
    const git = (...args: ReadonlyArray<string>) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: root, stdio: "ignore" })
    git("init", ".")
    git("commit", "--allow-empty", "-m", "first")
    return { root, git }
  })
  const isQuiet = (path: string, workingDir = path) =>
    Effect.promise(async () => {
      const access = await gitAccess(path, workingDir)
      return access._tag === "Reads" && access.outside.length === 0
    })

  it.effect("as git makes it runs nothing, seen from its top, from below, from a worktree", () =>
    Effect.gen(function* () {
      const { git, root } = yield* repository
      plant(root, { "a/b/": "" })
      git("worktree", "add", "tree", "-b", "other")
      for (const path of ["", "a/b", "tree"]) assert.isTrue(yield* isQuiet(NodePath.join(root, path), root), path)
      git("config", "core.fsmonitor", "./evil")
      for (const path of ["", "a/b", "tree"]) assert.isFalse(yield* isQuiet(NodePath.join(root, path), root), path)
    }).pipe(Effect.scoped)
  )

  it.effect("with a hook that listing would run is not trusted", () =>
    Effect.gen(function* () {
      const { root } = yield* repository
      const hook = NodePath.join(root, ".git/hooks/post-index-change")
      mkdirSync(NodePath.dirname(hook), { recursive: true })
      writeFileSync(hook, "#!/bin/sh\n")
      assert.isTrue(yield* isQuiet(root))
      chmodSync(hook, 0o755)
      assert.isFalse(yield* isQuiet(root))
    }).pipe(Effect.scoped)
  )

  it.effect("is not trusted where a directory could itself be one, or says that it is elsewhere", () =>
    Effect.gen(function* () {
      const { root } = yield* repository
      const other = yield* temporaryDirectory
      plant(root, { "bare/HEAD": "ref: refs/heads/main", "bare/config": "[core]\n\tfsmonitor = x" })
      assert.isFalse(yield* isQuiet(NodePath.join(root, "bare")))
      plant(other, { ".git": `gitdir: ${NodePath.join(root, ".git")}\n` })
      assert.isFalse(yield* isQuiet(other))
      renameSync(NodePath.join(other, ".git"), NodePath.join(other, "x"))
      plant(other, { ".git": "nonsense" })
      assert.isFalse(yield* isQuiet(other))
    }).pipe(Effect.scoped)
  )

  it.effect("that lies outside the working directory is not read without a question, whatever of it", () =>
    Effect.gen(function* () {
      const { git, root } = yield* repository
      const elsewhere = yield* temporaryDirectory
      plant(root, { "sub/deep/": "" })
      const sub = NodePath.join(root, "sub")
      assert.isFalse(yield* isQuiet(sub))
      assert.isFalse(yield* isQuiet(NodePath.join(sub, "deep"), sub))
      execFileSync("git", ["init", "deep"], { cwd: sub, stdio: "ignore" })
      assert.isTrue(yield* isQuiet(NodePath.join(sub, "deep"), sub))
      // A linked worktree by itself: its repository names it.
      git("worktree", "add", NodePath.join(elsewhere, "tree"), "-b", "other")
      assert.isTrue(yield* isQuiet(NodePath.join(elsewhere, "tree")))
      // Nobody but the repository can say that: not a file that was put there.
      plant(elsewhere, { "fake/.git": `gitdir: ${NodePath.join(root, ".git/worktrees/tree")}\n` })
      assert.isFalse(yield* isQuiet(NodePath.join(elsewhere, "fake")))
    }).pipe(Effect.scoped)
  )

  const leads: ReadonlyArray<readonly [what: string, lead: (git: string, other: string) => void]> = [
    ["a common directory", (git, other) => writeFileSync(NodePath.join(git, "commondir"), `${other}/.git\n`)],
    [
      "borrowed objects",
      (git, other) => writeFileSync(NodePath.join(git, "objects/info/alternates"), `${other}/.git/objects\n`)
    ],
    ["a link for its objects", (git, other) => link(NodePath.join(git, "objects"), `${other}/.git/objects`)],
    ["a link for its branches", (git, other) => link(NodePath.join(git, "refs"), `${other}/.git/refs`)],
    ["a link for its head", (git, other) => link(NodePath.join(git, "HEAD"), `${other}/.git/HEAD`)],
    [
      "a link among its packs",
      (git, other) => (
        mkdirSync(`${git}/objects/pack`, { recursive: true }),
        symlinkSync(other, `${git}/objects/pack/p`)
      )
    ]
  ]

  it.effect.each(leads)("that leads to another one by %s is not read without a question", ([, lead]) =>
    Effect.gen(function* () {
      const { root } = yield* repository
      const { root: other } = yield* repository
      assert.isTrue(yield* isQuiet(root))
      lead(NodePath.join(root, ".git"), other)
      assert.isFalse(yield* isQuiet(root))
    }).pipe(Effect.scoped)
  )

  it.effect("that is not there runs nothing", () =>
    Effect.gen(function* () {
      assert.isTrue(yield* isQuiet(yield* temporaryDirectory))
    }).pipe(Effect.scoped)
  )
})
