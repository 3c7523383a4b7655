import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import * as NodePath from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { isPlainConfig } from "../../../../src/tools/shell/git/GitConfig.ts"
import { temporaryDirectory } from "../../fixture.ts"

const plain = [
  "",
  "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n",
  "[core]\r\n\tfilemode = false\r\n\tsymlinks = false\r\n",
  '[remote "origin"]\n\turl = git@example.com:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n\tgh-resolved = base\n',
  '[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n\tvscode-merge-base = origin/main\n',
  '[branch "a\\"b [core] é"]\n\tDescription = "two\\nlines" # and why',
  "[user]\n\tname = Ada [core] fsmonitor\n\temail = ada@example.com\n",
  "# [core] fsmonitor = x\n; [alias]\n[color] ui = auto",
  '[lfs]\n\trepositoryformatversion = 0\n[lfs "https://example.com/a.git/info/lfs"]\n\taccess = basic\n',
  "[extensions]\n\tworktreeConfig = true\n[core]\n\tsparseCheckout = true\n",
  '[submodule "x"]\n\turl = ../x\n\tactive = true\n',
  "[core]\n\thooksPath = .husky/_\n",
  "[commit]\n\tgpgSign\n[advice]\n\tdetachedHead = false"
]

const telling = [
  "[core]\n\tfsmonitor = ./evil",
  "[core] fsmonitor = ./evil",
  "[CORE]\n\tFsMonitor = ./evil",
  "[core]\n\tpager = ./evil",
  "[core]\n\teditor = ./evil",
  "[core]\n\tsshCommand = ./evil",
  "[core]\n\tgitProxy = ./evil",
  "[core]\n\taskPass = ./evil",
  "[core]\n\talternateRefsCommand = ./evil",
  "[core]\n\tworktree = /",
  "[core]\n\tsplitIndex = true",
  "[core]\n\tattributesFile = /etc/passwd",
  "[core]\n\texcludesFile = /etc/passwd",
  '[filter "x"]\n\tclean = ./evil',
  '[diff "x"]\n\ttextconv = ./evil',
  "[diff]\n\texternal = ./evil",
  "[diff]\n\torderFile = /etc/passwd",
  "[diff]\n\tsubmodule = log",
  "[gpg]\n\tprogram = ./evil",
  '[gpg "ssh"]\n\tprogram = ./evil',
  "[include]\n\tpath = other",
  '[includeIf "gitdir:/"]\n\tpath = other',
  "[alias]\n\tlog = !evil",
  "[pager]\n\tlog = ./evil",
  "[pretty]\n\tx = %G?",
  "[format]\n\tpretty = %G?",
  "[mailmap]\n\tfile = /etc/passwd",
  "[blame]\n\tignoreRevsFile = /etc/passwd",
  "[log]\n\tshowSignature = true",
  "[log]\n\tdiffMerges = remerge",
  "[status]\n\tsubmoduleSummary = true",
  "[branch]\n\tsort = signature",
  "[credential]\n\thelper = !evil",
  "[extensions]\n\tpartialClone = origin",
  "[extensions]\n\trefStorage = reftable:///elsewhere",
  '[remote "origin"]\n\tpromisor = true',
  '[remote "origin"]\n\tpartialclonefilter = blob:none',
  '[remote "origin"]\n\tuploadpack = ./evil',
  '[remote "origin"]\n\tvcs = evil',
  '[url "ext::evil "]\n\tinsteadOf = https://',
  '[submodule "x"]\n\tupdate = !evil',
  '[submodule "x"]\n\tignore = none',
  "[submodule]\n\trecurse = true",
  "[submodule]\n\tfetchCommand = x",
  "[uploadpack]\n\tpackObjectsHook = ./evil",
  "[user]\n\tname = a\\\n[core]\n\tfsmonitor = x",
  '[user]\n\tname = "a\n[core]\n\tfsmonitor = x',
  "[core]\n\tfilemode = true\n[core]\n\tfsmonitor = ./evil",
  "[user] name = a\r[core]\n\tfsmonitor = x",
  '[core "x"]\n\tfilemode = true',
  "[remote]\n\turl = x",
  "[remote.origin]\n\tpromisor = true",
  "[core.x]\n\tfsmonitor = ./evil",
  "[core][alias] log = !evil",
  "[core",
  "fsmonitor = x",
  "\ufeff[core]\n\tfilemode = true",
  "[user]\n\tname = a\0\n"
]

describe("a git configuration", () => {
  it.each(plain)("that only says where things are: %j", (config) => assert.isTrue(isPlainConfig(config)))
  it.each(telling)("that names a program, a file, a server, or that is not understood: %j", (config) =>
    assert.isFalse(isPlainConfig(config))
  )

  it("is read in one pass, however long a value is", () => {
    assert.isTrue(isPlainConfig(`[user]\n\tname = ${'"a" '.repeat(60_000)}`))
    assert.isFalse(isPlainConfig(`[user]\n\tname = ${'"a" '.repeat(60_000)}"`))
  })
})

/** Pieces of which git would read many in another way than line by line. */
const pieces = fc.constantFrom(
  ..."[]\"'\\#;=\n\r\t .-a1é\0",
  "\n\t",
  "\\\n",
  "\r\n",
  "\\\r\n",
  '\\"',
  "\ufeff",
  "[core]",
  "[CORE]\n",
  '[remote "x"]\n',
  '[branch "a\\"]',
  "[user]",
  "[alias]",
  "[remote.x]",
  "filemode",
  "filemode = true\n",
  "url = a\n",
  "remote = b ",
  "name = ",
  'name = "a',
  "fsmonitor = evil",
  "\nfsmonitor = evil\n",
  "promisor = true\n",
  "# comment ",
  "\n[core] fsmonitor=x\n"
)

/** The keys that may come of these pieces; git writes sections and names in small letters. */
const harmless = /^(core\.filemode|remote\.[^\n]*\.url|branch\.[^\n]*\.remote|user\.name)$/s

it.effect(
  "is plain only if git reads nothing but allowed keys in it",
  () =>
    Effect.gen(function* () {
      const file = NodePath.join(yield* temporaryDirectory, "config")
      const runs = Number(process.env["FUZZ_RUNS"] ?? 300)
      let plainOnes = 0
      const texts = fc.array(pieces, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(""))
      // Most texts are not plain, which needs no git: thirty are tried for each that git is asked about.
      fc.assert(
        fc.property(texts, (text) => {
          const bytes = Buffer.from(text)
          if (plainOnes >= runs || !isPlainConfig(bytes.toString("latin1"))) return
          plainOnes += 1
          writeFileSync(file, bytes)
          const listed = execFileSync("git", ["config", "--list", "--name-only", "-z", "-f", file], {
            encoding: "utf8"
          })
          for (const key of listed.split("\0").slice(0, -1)) assert.match(key, harmless, JSON.stringify(text))
        }),
        { numRuns: runs * 200, seed: Number(process.env["FUZZ_SEED"] ?? 7) }
      )
      assert.isAtLeast(plainOnes, runs / 3)
    }).pipe(Effect.scoped),
  120_000
)
