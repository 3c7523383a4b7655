import * as Fs from "node:fs"
import { createServer } from "node:net"
import * as Path from "node:path"
import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { place, refusalOf, skillText, using } from "./folders.ts"

const versions = (listed: ReadonlyArray<{ readonly name: string; readonly version: string }>) =>
  listed.map(({ name, version }) => `${name} ${version}`)

describe("installing a skill", () => {
  it.effect("copies its folder under its name, whatever the folder was called", () =>
    Effect.gen(function* () {
      const here = yield* place
      here.plant({
        "source/SKILL.md": skillText("pdf", "requires_scripts: [scripts/run.sh]"),
        "source/scripts/run.sh": "#!/bin/sh\n",
        "source/a/b/c.txt": "",
        "source/.hidden": "x",
        "source/empty/": "",
        "source/with \u2028 and \n.bin": new Uint8Array([0, 255, 13, 10])
      })
      Fs.chmodSync(Path.join(here.root, "source/scripts/run.sh"), 0o4777)
      const installed = yield* using(here, (skills) => skills.install(Path.join(here.root, "source"), false))
      assert.deepStrictEqual(installed, { name: "pdf", installedAt: Path.join(here.global, "pdf") })
      assert.deepStrictEqual(here.tree("state/skills/pdf"), here.tree("source"))
      for (const name of ["SKILL.md", "scripts/run.sh", ".hidden", "with \u2028 and \n.bin"]) {
        const [from, to] = ["source", "state/skills/pdf"].map((at) => Fs.readFileSync(Path.join(here.root, at, name)))
        assert.deepStrictEqual(to, from)
      }
      assert.deepStrictEqual(here.tree("state").slice(0, 2), ["skills", "skills/pdf"])
      assert.strictEqual(Fs.statSync(Path.join(installed.installedAt, "scripts/run.sh")).mode & 0o7777, 0o755)
      assert.strictEqual(Fs.statSync(here.global).mode & 0o777, 0o700)
    })
  )

  it.effect("is told when the skill is there already, and leaves it as it is", () =>
    Effect.gen(function* () {
      const here = yield* place
      here.plant({ "one/SKILL.md": skillText("pdf"), "two/SKILL.md": skillText("pdf", "version: 2.0.0") })
      const [why, listed] = yield* using(here, (skills) =>
        Effect.gen(function* () {
          yield* skills.install(Path.join(here.root, "one"), false)
          const refusal = yield* refusalOf(skills.install(Path.join(here.root, "two"), false))
          return [refusal, yield* skills.list(here.project)] as const
        })
      )
      assert.match(why, /^the skill pdf is installed already, in .*\/pdf; with force/)
      assert.deepStrictEqual(versions(listed), ["pdf 0.0.0"])
      assert.deepStrictEqual(here.tree("state/skills"), ["pdf", "pdf/SKILL.md"])
    })
  )

  it.effect("with force replaces the old one, none of whose files stays", () =>
    Effect.gen(function* () {
      const here = yield* place
      here.plant({
        "one/SKILL.md": skillText("pdf"),
        "one/old.txt": "x",
        "two/SKILL.md": skillText("pdf", "version: 2.0.0"),
        "two/new.txt": "x"
      })
      const listed = yield* using(here, (skills) =>
        Effect.gen(function* () {
          for (const source of ["one", "two", "two"]) yield* skills.install(Path.join(here.root, source), true)
          return yield* skills.list(here.project)
        })
      )
      assert.deepStrictEqual(versions(listed), ["pdf 2.0.0"])
      assert.deepStrictEqual(here.tree("state/skills"), ["pdf", "pdf/SKILL.md", "pdf/new.txt"])
    })
  )

  it.effect("with force replaces what stands there and is no skill", () =>
    Effect.gen(function* () {
      const here = yield* place
      here.plant({ "one/SKILL.md": skillText("ab"), "two/SKILL.md": skillText("cd"), "mine/x": "x" })
      here.plant({ "state/skills/ab": "a file" })
      Fs.symlinkSync(Path.join(here.root, "mine"), Path.join(here.global, "cd"))
      yield* using(here, (skills) =>
        Effect.gen(function* () {
          for (const source of ["one", "two"]) {
            assert.match(yield* refusalOf(skills.install(Path.join(here.root, source), false)), /installed already/)
            yield* skills.install(Path.join(here.root, source), true)
          }
        })
      )
      assert.deepStrictEqual(here.tree("state/skills"), ["ab", "ab/SKILL.md", "cd", "cd/SKILL.md"])
      assert.deepStrictEqual(here.tree("mine"), ["x"])
    })
  )

  it.effect("can take the place of the very folder that it is copied from", () =>
    Effect.gen(function* () {
      const here = yield* place
      here.plant({ "state/skills/pdf/SKILL.md": skillText("pdf"), "state/skills/pdf/x": "x" })
      yield* using(here, (skills) => skills.install(Path.join(here.global, "pdf"), true))
      assert.deepStrictEqual(here.tree("state/skills"), ["pdf", "pdf/SKILL.md", "pdf/x"])
    })
  )

  it.effect("copies what a link in the skill leads to", () =>
    Effect.gen(function* () {
      const here = yield* place
      here.plant({ "source/SKILL.md": skillText("pdf"), "source/a/real.txt": "real", "source/a/b/deep.txt": "deep" })
      const source = Path.join(here.root, "source")
      Fs.symlinkSync("a/real.txt", Path.join(source, "relative"))
      Fs.symlinkSync(Path.join(source, "a/real.txt"), Path.join(source, "absolute"))
      Fs.symlinkSync("relative", Path.join(source, "twice"))
      Fs.symlinkSync("a/b", Path.join(source, "folder"))
      Fs.symlinkSync("../source/a/real.txt", Path.join(source, "about"))
      Fs.symlinkSync("source", Path.join(here.root, "itself"))
      const { installedAt } = yield* using(here, (skills) => skills.install(Path.join(here.root, "itself"), false))
      for (const name of ["relative", "absolute", "twice", "about", "folder/deep.txt"]) {
        const path = Path.join(installedAt, name)
        assert.isTrue(Fs.lstatSync(path).isFile(), name)
        assert.strictEqual(Fs.readFileSync(path, "utf8"), name === "folder/deep.txt" ? "deep" : "real")
      }
      assert.isTrue(Fs.lstatSync(Path.join(installedAt, "folder")).isDirectory())
    })
  )

  interface Refused {
    readonly files?: { readonly [path: string]: string | Uint8Array }
    readonly make?: (source: string) => void
    readonly why: RegExp
  }
  const skill = (name: string, ...more: ReadonlyArray<string>) => ({ "source/SKILL.md": skillText(name, ...more) })
  const good = skill("pdf")
  const link = (target: string, at: string) => (source: string) => Fs.symlinkSync(target, Path.join(source, at))

  it.effect.each<[string, Refused]>([
    ["that is not there", { why: /^payload.sourcePath: expected a folder with a SKILL.md in it, got .*\/source$/ }],
    ["that is a file", { files: { source: "x" }, why: /^payload.sourcePath: expected a folder/ }],
    ["without a SKILL.md", { files: { "source/skill.txt": "x" }, why: /SKILL.md is not there/ }],
    [
      "whose SKILL.md is a folder",
      { files: { "source/SKILL.md/": "" }, why: /SKILL.md is a directory, not a regular file/ }
    ],
    ["whose SKILL.md has no front matter", { files: { "source/SKILL.md": "# Hi" }, why: /expected a first line ---/ }],
    ["named ../evil", { files: skill("../evil"), why: /SKILL.md: name: expected 2 to 64 .*got "..\/evil"/ }],
    ["named ..", { files: skill(".."), why: /name: expected 2 to 64/ }],
    ["named like an absolute path", { files: skill("/tmp/evil"), why: /name: expected 2 to 64/ }],
    ["named like a temporary sibling", { files: skill(".pdf.old.1.x.y"), why: /name: expected 2 to 64/ }],
    [
      "that requires a script which climbs",
      { files: skill("pdf", "requires_scripts: [../../x]"), why: /below scripts/ }
    ],
    [
      "that requires a script which is absent",
      { files: skill("pdf", "requires_scripts: [x.sh]"), why: /scripts\/x\.sh/ }
    ],
    [
      "that holds a link to a file elsewhere",
      { files: good, make: link("/etc/passwd", "a"), why: /^a is a link to \/etc/ }
    ],
    [
      "that holds a link to a folder elsewhere",
      { files: good, make: link("/etc", "a"), why: /which is not in the skill$/ }
    ],
    ["that holds a link which climbs out", { files: good, make: link("../secret", "a"), why: /not in the skill$/ }],
    [
      "that holds a link to its sibling of like name",
      { files: good, make: link("../source2", "a"), why: /not in the/ }
    ],
    ["that holds a link which leads nowhere", { files: good, make: link("nowhere", "a"), why: /not in the skill$/ }],
    ["that holds a link to itself", { files: good, make: link("a", "a"), why: /^a is a link to a, which is not in/ }],
    ["that holds a link to a folder above it", { files: good, make: link(".", "a"), why: /a folder that it lies in$/ }],
    [
      "whose links go round in a circle",
      {
        files: { ...good, "source/a/": "", "source/b/": "" },
        make: (source) => {
          link("../b", "a/to-b")(source)
          link("../a", "b/to-a")(source)
        },
        why: /a folder that it lies in$/
      }
    ],
    [
      "of more than 5000 files, by way of links",
      {
        files: { ...good, "source/0/": "" },
        make: (source) => {
          for (let index = 0; index < 100; index++) Fs.writeFileSync(Path.join(source, `0/${index}`), "")
          for (let index = 1; index < 50; index++) link("0", `${index}`)(source)
        },
        why: /^the skill has more than 5000 files$/
      }
    ],
    [
      "whose SKILL.md is a link out of it",
      { files: { "source/": "" }, make: link("../source2/SKILL.md", "SKILL.md"), why: /leads out of/ }
    ],
    [
      "that holds a pipe",
      { files: good, make: (at) => execFileSync("mkfifo", [Path.join(at, "p")]), why: /^p is neither/ }
    ],
    [
      "of 70 MiB",
      {
        files: good,
        make: (at) => Fs.writeFileSync(Path.join(at, "x"), new Uint8Array(70 << 20)),
        why: /more than 64 MiB/
      }
    ],
    [
      "of 70 MiB by way of links",
      {
        files: good,
        make: (at) => {
          Fs.writeFileSync(Path.join(at, "x"), new Uint8Array(35 << 20))
          link("x", "y")(at)
        },
        why: /more than 64 MiB/
      }
    ],
    [
      "that is the folder above the skills",
      {
        make: (at) => Fs.symlinkSync(Path.dirname(at), at),
        files: { "SKILL.md": skillText("pdf") },
        why: /source holds .*state.skills, where skills are installed$/
      }
    ]
  ])("refuses a folder %s, and leaves nothing behind", ([, { files = {}, make, why }]) =>
    Effect.gen(function* () {
      const here = yield* place
      here.plant({ "state/skills/": "", secret: "s", "source2/SKILL.md": skillText("pdf"), ...files })
      const source = Path.join(here.root, "source")
      make?.(source)
      assert.match(yield* using(here, (skills) => refusalOf(skills.install(source, true))), why)
      assert.deepStrictEqual(here.tree("state"), ["skills"])
    })
  )

  it.effect("refuses a socket", () =>
    Effect.gen(function* () {
      const here = yield* place
      here.plant(good)
      const server = createServer()
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => {
          server.listen(Path.join(here.root, "source/s"), () => resume(Effect.void))
        }),
        () => Effect.sync(() => server.close())
      )
      const why = yield* using(here, (skills) => refusalOf(skills.install(Path.join(here.root, "source"), false)))
      assert.match(why, /^s is neither a file nor a folder$/)
    })
  )

  it.effect("keeps the old one when the new one is refused", () =>
    Effect.gen(function* () {
      const here = yield* place
      here.plant({ "one/SKILL.md": skillText("pdf"), "one/x": "x", ...good })
      link("/etc/passwd", "a")(Path.join(here.root, "source"))
      yield* using(here, (skills) =>
        Effect.gen(function* () {
          yield* skills.install(Path.join(here.root, "one"), false)
          yield* refusalOf(skills.install(Path.join(here.root, "source"), true))
        })
      )
      assert.deepStrictEqual(here.tree("state/skills"), ["pdf", "pdf/SKILL.md", "pdf/x"])
    })
  )

  it.effect("by two at a time gives one of them the name", () =>
    Effect.gen(function* () {
      const here = yield* place
      here.plant(
        Object.fromEntries(["1.0.0", "2.0.0"].map((v) => [`${v}/SKILL.md`, skillText("pdf", `version: ${v}`)]))
      )
      const install = (version: string, force: boolean) =>
        using(here, (skills) => Effect.exit(skills.install(Path.join(here.root, version), force)))
      const gentle = yield* Effect.all([install("1.0.0", false), install("2.0.0", false)], { concurrency: 2 })
      assert.deepStrictEqual(gentle.map(({ _tag }) => _tag).toSorted(), ["Failure", "Success"])
      const forced = yield* Effect.all([install("1.0.0", true), install("2.0.0", true)], { concurrency: 2 })
      assert.deepStrictEqual(
        forced.map(({ _tag }) => _tag),
        ["Success", "Success"]
      )
      assert.deepStrictEqual(here.tree("state/skills"), ["pdf", "pdf/SKILL.md"])
    })
  )

  it.effect("with force never hides the skill from another sidecar that looks on", () =>
    Effect.gen(function* () {
      const here = yield* place
      here.plant(
        Object.fromEntries(["1.0.0", "2.0.0"].map((v) => [`${v}/SKILL.md`, skillText("pdf", `version: ${v}`)]))
      )
      const installing = { now: true }
      const seen = new Set<string>()
      const replace = using(here, (skills) =>
        Effect.gen(function* () {
          for (let index = 0; index < 60; index++) {
            yield* skills.install(Path.join(here.root, index % 2 === 0 ? "2.0.0" : "1.0.0"), true)
          }
        })
      ).pipe(Effect.ensuring(Effect.sync(() => (installing.now = false))))
      const look = using(here, (skills) =>
        Effect.gen(function* () {
          while (installing.now) seen.add(versions(yield* skills.list(here.project)).join())
        })
      )
      yield* using(here, (skills) => skills.install(Path.join(here.root, "1.0.0"), false))
      yield* Effect.all([replace, look], { concurrency: 2 })
      assert.deepStrictEqual([...seen].toSorted(), ["pdf 1.0.0", "pdf 2.0.0"])
    })
  )
})

describe("uninstalling a skill", () => {
  it.effect("deletes its folder, once", () =>
    Effect.gen(function* () {
      const here = yield* place
      here.plant({ "state/skills/pdf/SKILL.md": skillText("pdf"), "state/skills/pdf/a/b": "x" })
      yield* using(here, (skills) =>
        Effect.gen(function* () {
          assert.isTrue(yield* skills.uninstall("pdf"))
          assert.isFalse(yield* skills.uninstall("pdf"))
        })
      )
      assert.deepStrictEqual(here.tree("state"), ["skills"])
    })
  )

  it.effect("deletes a broken one too, and of a link the link alone", () =>
    Effect.gen(function* () {
      const here = yield* place
      here.plant({ "state/skills/broken/x": "x", "mine/SKILL.md": skillText("linked") })
      Fs.symlinkSync(Path.join(here.root, "mine"), Path.join(here.global, "linked"))
      for (const name of ["broken", "linked"]) {
        assert.isTrue(yield* using(here, (skills) => skills.uninstall(name)))
      }
      assert.deepStrictEqual(here.tree("state"), ["skills"])
      assert.deepStrictEqual(here.tree("mine"), ["SKILL.md"])
    })
  )

  it.effect("leaves a project's alone", () =>
    Effect.gen(function* () {
      const here = yield* place
      here.plant({ "project/.atomic-agent/skills/pdf/SKILL.md": skillText("pdf") })
      assert.isFalse(yield* using(here, (skills) => skills.uninstall("pdf")))
      assert.lengthOf(yield* using(here, (skills) => skills.list(here.project)), 1)
    })
  )

  it.effect.each(["../x", "..", ".", "", "x", "a/b", "/etc", ".pdf.old.1.x.y", "ab\u2028", "AB"])(
    "refuses the name %j and deletes nothing",
    (name) =>
      Effect.gen(function* () {
        const here = yield* place
        here.plant({ "state/x/keep": "", "state/skills/x/keep": "" })
        const before = here.tree("state")
        const why = yield* using(here, (skills) => refusalOf(skills.uninstall(name)))
        assert.match(why, /^payload.name: expected 2 to 64 of a-z, 0-9 and -, no dash at the ends, got "/)
        assert.deepStrictEqual(here.tree("state"), before)
      })
  )
})
