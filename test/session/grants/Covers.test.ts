import { assert, describe, it } from "@effect/vitest"
import type { GrantSubject } from "../../../src/domain/GrantSubject.ts"
import type { Grant } from "../../../src/protocol/Grant.ts"
import { covering } from "../../../src/session/grants/Covers.ts"
import { offersOf } from "../../../src/session/grants/Offers.ts"

const write = (...paths: ReadonlyArray<string>): GrantSubject => ({ kind: "write", paths })
const held = (...grants: ReadonlyArray<Grant>) => grants.map((grant) => ({ given: grant, real: grant }))

describe("a grant", () => {
  it.each<[grant: Grant, subject: GrantSubject]>([
    [{ kind: "write", path: "/srv/out" }, write("/srv/out")],
    [{ kind: "write", path: "/srv/out" }, write("/srv/out/a/b", "/srv/out/c")],
    [{ kind: "write", path: "/srv/out/" }, write("/srv/out/a")],
    [{ kind: "write", path: "/" }, write("/srv/out/a")],
    [
      { kind: "read", path: "/srv" },
      { kind: "read", paths: ["/srv/a"] }
    ],
    [
      { kind: "host", host: "a.example" },
      { kind: "host", host: "a.example" }
    ],
    [
      { kind: "script", skill: "s", script: "a.sh" },
      { kind: "script", skill: "s", script: "a.sh" }
    ],
    [
      { kind: "mcp", server: "s" },
      { kind: "mcp", server: "s", tool: "t" }
    ],
    [
      { kind: "mcp", server: "s", tool: "t" },
      { kind: "mcp", server: "s", tool: "t" }
    ]
  ])("%j covers %j", (grant, subject) => assert.strictEqual(covering(held(grant), subject), grant))

  it.each<[grant: Grant, subject: GrantSubject]>([
    [{ kind: "write", path: "/srv/out" }, write("/srv/outside")],
    [{ kind: "write", path: "/srv/out" }, write("/srv")],
    [{ kind: "write", path: "/srv/out" }, write("/srv/out/a", "/srv/b")],
    [{ kind: "write", path: "/srv/Out" }, write("/srv/out/a")],
    [{ kind: "read", path: "/srv" }, write("/srv/a")],
    [
      { kind: "write", path: "/srv" },
      { kind: "read", paths: ["/srv/a"] }
    ],
    [
      { kind: "host", host: "a.example" },
      { kind: "host", host: "a.example:8080" }
    ],
    [
      { kind: "host", host: "a.example:8080" },
      { kind: "host", host: "a.example" }
    ],
    [
      { kind: "host", host: "a.example" },
      { kind: "host", host: "b.a.example" }
    ],
    [
      { kind: "host", host: "a.example" },
      { kind: "host", host: "a.example.evil.example" }
    ],
    [
      { kind: "host", host: "a.example" },
      { kind: "host", host: "a.example." }
    ],
    [
      { kind: "script", skill: "s", script: "a.sh" },
      { kind: "script", skill: "t", script: "a.sh" }
    ],
    [
      { kind: "script", skill: "s", script: "a.sh" },
      { kind: "script", skill: "s", script: "b.sh" }
    ],
    [
      { kind: "mcp", server: "s", tool: "t" },
      { kind: "mcp", server: "s", tool: "u" }
    ],
    [
      { kind: "mcp", server: "s" },
      { kind: "mcp", server: "r", tool: "t" }
    ],
    [
      { kind: "command", argv: ["npm"] },
      { kind: "script", skill: "npm", script: "npm" }
    ]
  ])("%j does not cover %j", (grant, subject) => assert.isUndefined(covering(held(grant), subject)))

  it("covers with others what none of them covers alone; the first one is told", () => {
    const [one, two] = held({ kind: "write", path: "/a" }, { kind: "write", path: "/b" })
    assert.strictEqual(covering([one!, two!], write("/b/x", "/a/x")), two!.given)
    assert.isUndefined(covering([one!], write("/b/x", "/a/x")))
  })

  it("counts by where its path led when it was given", () => {
    const grant = { kind: "write", path: "/proj/link" } as const
    const real = { kind: "write", path: "/srv/out" } as const
    assert.strictEqual(covering([{ given: grant, real }], write("/srv/out/a")), grant)
    assert.isUndefined(covering([{ given: grant, real }], write("/proj/link/a")))
  })
})

describe("what is offered", () => {
  const home = "/home/ada"
  it.each<[subject: GrantSubject, offers: ReadonlyArray<string>]>([
    [write("/home/ada/proj/a.txt"), ["Write /home/ada/proj/a.txt", "Write everything in /home/ada/proj"]],
    [write("/home/ada/a.txt"), ["Write /home/ada/a.txt"]],
    [write("/home/ada/.ssh/config"), ["Write /home/ada/.ssh/config"]],
    [write("/home/ada/proj/.git/hooks/x"), ["Write /home/ada/proj/.git/hooks/x"]],
    [write("/home/b.txt"), ["Write /home/b.txt"]],
    [write("/etc/hosts"), ["Write /etc/hosts"]],
    [write("/a.txt"), ["Write /a.txt"]],
    [write("/srv/a/x", "/srv/a/b/y"), ["Write everything in /srv/a"]],
    [write("/srv/x", "/home/y"), []],
    [write("/srv/out/a\u001b[8m"), ["Write /srv/out/a\\u001b[8m", "Write everything in /srv/out"]],
    [write(`/srv/out/${"a".repeat(5000)}`), ["Write everything in /srv/out"]],
    [{ kind: "read", paths: ["/srv/a/x"] }, ["Read /srv/a/x", "Read everything in /srv/a"]],
    [{ kind: "host", host: "a.example:8080" }, ["Send requests to a.example:8080"]],
    [{ kind: "script", skill: "s", script: "a.sh" }, ["Run the script a.sh of the skill s"]],
    [{ kind: "mcp", server: "s", tool: "t" }, ["Call t of s", "Call all tools of s"]]
  ])("for %j: %j", (subject, expected) => {
    const offers = offersOf(subject, [], home)
    assert.deepStrictEqual(
      offers.map(({ label }) => label),
      expected
    )
    for (const { grant } of offers) assert.isDefined(covering(held(grant), subject))
  })
})
