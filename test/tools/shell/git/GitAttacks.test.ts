import { readdirSync, utimesSync } from "node:fs"
import { execFileSync } from "node:child_process"
import * as NodePath from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { GitAccess } from "../../../../src/tools/shell/GitAccess.ts"
import { plant, temporaryDirectory } from "../../fixture.ts"
import { access, evil, git, initialize, judged, silently } from "./repository.ts"

const { join } = NodePath

const place = Effect.map(temporaryDirectory, (all) => {
  plant(all, { "root/": "", "other/": "" })
  return { all, root: join(all, "root"), other: join(all, "other"), evil: evil(all) }
})

/** Runs commands that look at everything, and is true if a planted program ran. */
const runsEvil = (given: GitAccess, cwd: string, all: string) =>
  Effect.gen(function* () {
    for (const words of [["status"], ["diff"], ["log", "-p"], ["show", "HEAD:a"], ["blame", "a"]])
      yield* silently(given, cwd, ...words)
    return readdirSync(all).includes("ran")
  })

interface Attack {
  readonly what: string
  /** Plants it, and gives the command that starts the program for a user: the test shows that it does. */
  readonly plant: (root: string, other: string, evil: string) => ReadonlyArray<string>
}

/** A commit with a signature, which any program may check. */
const commitSigned = (folder: string): void => {
  const signer = join(folder, "signer")
  plant(folder, {
    signer: `#!/bin/sh
cat > /dev/null
echo "[GNUPG:] SIG_CREATED D" >&2
printf '%s\\n' '-----BEGIN PGP SIGNATURE-----' x '-----END PGP SIGNATURE-----'
`
  })
  execFileSync("chmod", ["755", signer])
  git(folder, "-c", `gpg.program=${signer}`, "commit", "--allow-empty", "-S", "-m", "signed")
}

/** A clone without the content of its files, which git fetches when it is needed. */
const promisor = (root: string, other: string): void => {
  initialize(other)
  git(other, "config", "uploadpack.allowFilter", "true")
  git(root, "clone", "--filter=blob:none", "--no-checkout", `file://${other}`, ".")
}

/** Settings that make git run something: each asks. */
const settings: ReadonlyArray<Attack> = [
  {
    what: "a promisor's uploadpack",
    plant: (root, other, evil) => {
      promisor(root, other)
      git(root, "config", "remote.origin.uploadpack", evil)
      return ["log", "-p"]
    }
  },
  {
    what: "a promisor's helper",
    plant: (root, other, evil) => {
      promisor(root, other)
      git(root, "config", "protocol.ext.allow", "always")
      git(root, "config", "remote.origin.url", `ext::${evil} x`)
      return ["show", "HEAD:a"]
    }
  },
  {
    what: "a summary of a nested repository that names its own checker of signatures",
    plant: (root, _, evil) => {
      initialize(root)
      initialize(join(root, "inner"))
      git(root, "add", "inner")
      git(root, "commit", "-am", "inner")
      commitSigned(join(root, "inner"))
      git(join(root, "inner"), "config", "gpg.program", evil)
      git(join(root, "inner"), "config", "log.showSignature", "true")
      git(root, "config", "status.submoduleSummary", "true")
      return ["status"]
    }
  },
  {
    what: "a checker of signatures, and that they be checked",
    plant: (root, _, evil) => {
      initialize(root)
      commitSigned(root)
      git(root, "config", "gpg.program", evil)
      git(root, "config", "log.showSignature", "true")
      return ["log"]
    }
  },
  {
    what: "a monitor of files",
    plant: (root, _, evil) => {
      initialize(root)
      git(root, "config", "core.fsmonitor", evil)
      return ["status"]
    }
  },
  {
    what: "a filter",
    plant: (root, _, evil) => {
      initialize(root)
      plant(root, { ".gitattributes": "* filter=x\n" })
      git(root, "config", "filter.x.clean", evil)
      return ["diff"]
    }
  },
  {
    what: "a converter of text",
    plant: (root, _, evil) => {
      initialize(root)
      plant(root, { ".gitattributes": "* diff=x\n" })
      git(root, "config", "diff.x.textconv", evil)
      return ["blame", "a"]
    }
  }
]

/** What is silent, because git is kept from heeding it. */
const kept: ReadonlyArray<Attack> = [
  {
    what: "a hook",
    plant: (root, _, evil) => {
      initialize(root)
      plant(root, { ".git/hooks/": "" })
      execFileSync("cp", [evil, join(root, ".git/hooks/post-index-change")])
      utimesSync(join(root, "sub/b"), 1_700_000_000, 1_700_000_000)
      return ["diff"]
    }
  },
  {
    what: "a folder of hooks",
    plant: (root, _, evil) => {
      initialize(root)
      plant(root, { "hooks/": "" })
      execFileSync("cp", [evil, join(root, "hooks/post-index-change")])
      git(root, "config", "core.hooksPath", "hooks")
      utimesSync(join(root, "sub/b"), 1_700_000_000, 1_700_000_000)
      return ["diff"]
    }
  },
  {
    what: "a nested repository with a monitor of files, that is not to be ignored",
    plant: (root, _, evil) => {
      initialize(root)
      initialize(join(root, "inner"))
      git(root, "add", "inner")
      git(join(root, "inner"), "config", "core.fsmonitor", evil)
      plant(root, { ".gitmodules": '[submodule "inner"]\n\tpath = inner\n\turl = ./inner\n\tignore = none\n' })
      return ["status"]
    }
  },
  {
    what: "a nested repository with a converter of text",
    plant: (root, _, evil) => {
      initialize(root)
      initialize(join(root, "inner"))
      plant(root, { "inner/.gitattributes": "* filter=x\n" })
      git(root, "add", "inner")
      git(join(root, "inner"), "config", "filter.x.clean", evil)
      return ["diff"]
    }
  }
]

describe("git runs no program that a repository names", () => {
  it.effect.each(settings)("asked before: $what", ({ plant }) =>
    Effect.gen(function* () {
      const { all, evil, other, root } = yield* place
      const words = plant(root, other, evil)
      assert.strictEqual(yield* judged(root), "unsafe")
      attempted(root, words)
      assert.include(readdirSync(all), "ran")
    }).pipe(Effect.scoped)
  )

  it.effect.each(kept)("kept from it: $what", ({ plant }) =>
    Effect.gen(function* () {
      const { all, evil, other, root } = yield* place
      const words = plant(root, other, evil)
      const given = yield* access(root)
      assert.strictEqual(yield* judged(root), "silent")
      assert.isFalse(yield* runsEvil(given, root, all))
      attempted(root, words)
      assert.include(readdirSync(all), "ran")
    }).pipe(Effect.scoped)
  )

  it.effect.each([...settings, ...kept])(
    "nor if it came after the judgement, or in what we have missed: $what",
    (attack) =>
      Effect.gen(function* () {
        const { all, evil, other, root } = yield* place
        git(root, "init", ".")
        const given = yield* access(root)
        execFileSync("rm", ["-r", join(root, ".git")])
        attack.plant(root, other, evil)
        // Filters and converters of text are held by the judgement of the configuration alone.
        if (/^a (filter|converter)/.test(attack.what)) return
        assert.isFalse(yield* runsEvil(given, root, all))
      }).pipe(Effect.scoped)
  )
})

const attempted = (root: string, words: ReadonlyArray<string>): void => {
  try {
    git(root, ...words)
  } catch {
    // The planted programs do not answer as git expects.
  }
}

describe("git reads no configuration but the repository's", () => {
  it.effect("not that of a home, in any version", () =>
    Effect.gen(function* () {
      const { all, evil, root } = yield* place
      initialize(root)
      plant(root, { ".gitattributes": "* filter=x\n" })
      plant(all, { ".gitconfig": `[filter "x"]\n\tclean = ${evil}\n` })
      const given = yield* access(root)
      if (given._tag === "Unsafe") return assert.fail("unsafe")
      // As an old version, which does not know this variable.
      const { GIT_CONFIG_GLOBAL: _, ...env } = given.env
      assert.isFalse(yield* runsEvil({ ...given, env }, root, all))
    }).pipe(Effect.scoped)
  )
})
