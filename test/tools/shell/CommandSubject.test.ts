import { linkSync, symlinkSync } from "node:fs"
import * as NodePath from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { needOf, plant, temporaryDirectory, toolbox } from "../fixture.ts"

/** `%` is a folder of its own: `%/state` the state directory, `%/ws` the working directory, `%/other` a folder beside them. */
const inWorld = <A, E>(test: (root: string) => Effect.Effect<A, E, any>) =>
  Effect.gen(function* () {
    const root = yield* temporaryDirectory
    plant(root, {
      "state/.env": "ATOMIC_AGENT_LLAMA_API_KEY=sk-planted-0123456789\n",
      "state/config.json": "{}\n",
      "state/skills/a/SKILL.md": "x",
      "ws/a.txt": "a\n",
      "ws/sub/b.txt": "b\n",
      "ws/d1/a.txt": "1\n",
      "ws/d2/a.txt": "2\n",
      "ws/.atomic-agent/skills/b/SKILL.md": "x",
      "other/c.txt": "c\n"
    })
    symlinkSync("../state", NodePath.join(root, "ws/to-state"))
    symlinkSync("../state/config.json", NodePath.join(root, "ws/to-config"))
    symlinkSync(".atomic-agent/skills", NodePath.join(root, "ws/to-skills"))
    symlinkSync("../other", NodePath.join(root, "ws/to-other"))
    linkSync(NodePath.join(root, "state/.env"), NodePath.join(root, "ws/second"))
    const layer = toolbox({ stateDir: NodePath.join(root, "state"), secrets: [Redacted.make("sk-planted-0123456789")] })
    return yield* test(root).pipe(Effect.provide(layer))
  }).pipe(Effect.scoped) as Effect.Effect<A, E>

/** The commands that need a grant, each as a text; undefined if no grant may cover the line. */
const commandsOf = (root: string, command: string, cwd = "ws") =>
  Effect.gen(function* () {
    const need = yield* needOf(
      "shell.run",
      { command: command.replaceAll("%", root), cwd: NodePath.join(root, cwd) },
      NodePath.join(root, "ws")
    )
    if (need === undefined || typeof need === "string") return need
    return need.subject?.kind === "command" ? need.subject.commands.map(({ argv }) => argv.join(" ")) : undefined
  })

describe("what grants are compared with for a command line, as the disk is", () => {
  it.effect.each([
    ["touch made", ["touch made"]],
    ["touch made && cat a.txt", ["touch made"]],
    ["touch made && ls sub | head -n 1", ["touch made"]],
    // More than reading is forced on these, or they could follow a link.
    ["touch made && git status", ["touch made", "git status"]],
    ["touch made && diff -r d1 d2", ["touch made", "diff -r d1 d2"]],
    // What they read is elsewhere, so they need a grant themselves.
    ["touch made && cat to-other/c.txt", ["touch made", "cat to-other/c.txt"]],
    ["touch made && cat %/other/c.txt", ["touch made", "cat %/other/c.txt"]],
    ["cat %/other/c.txt", ["cat %/other/c.txt"]],
    ["cp a.txt to-other/x", ["cp a.txt to-other/x"]],
    ["npm test -- --x=sub/b.txt", ["npm test -- --x=sub/b.txt"]]
  ] as const)("%j: %j", ([line, commands]) =>
    inWorld((root) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(
          yield* commandsOf(root, line),
          commands.map((command) => command.replaceAll("%", root))
        )
      })
    )
  )

  it.effect.each([
    "cp a.txt %/state/config.json",
    "cp a.txt to-config",
    "cp a.txt to-state/config.json",
    "cp a.txt ../state/.env",
    "cp a.txt to-state/new.txt",
    "cp a.txt second",
    "cat second",
    "cat %/state/.env",
    "touch made && cat to-state/config.json",
    "touch made && cat second",
    "cp a.txt .atomic-agent/skills/b/SKILL.md",
    "cp a.txt .atomic-agent/x",
    "cp -r sub .ATOMIC-AGENT",
    "cp a.txt to-skills/b/SKILL.md",
    "cp a.txt to-skills",
    "mv sub %/state/skills/c",
    "cp -r sub %",
    "cp -r sub ..",
    "cp -r sub /",
    "cp --target-directory=../state a.txt",
    "cp --target-directory=to-skills a.txt",
    "cp -t../state a.txt",
    "tool -o%/state/config.json",
    "tool key=a,%/state/.env",
    "tool @to-config",
    "tool host:to-config",
    "tool 'x to-config y'",
    "sh -c 'cp a.txt .atomic-agent/skills/x'",
    "echo x && touch to-config"
  ])("none may cover a line that leads to the agent's own files: %j", (line) =>
    inWorld((root) => Effect.map(commandsOf(root, line), (commands) => assert.isUndefined(commands)))
  )

  it.effect.each(["other", "state", "state/skills/a", "ws/.atomic-agent/skills/b", "ws/to-other", "ws/to-skills"])(
    "none may cover a line that runs outside the working directory, or among skills: %s",
    (cwd) => inWorld((root) => Effect.map(commandsOf(root, "touch x", cwd), (commands) => assert.isUndefined(commands)))
  )

  it.effect("a line that is blocked is not run, whatever it would be compared with", () =>
    inWorld((root) => Effect.map(commandsOf(root, "rm -rf /"), (why) => assert.match(String(why), /^blocked: /)))
  )

  it.effect("none may cover what shows a secret", () =>
    inWorld((root) =>
      Effect.map(commandsOf(root, "touch sk-planted-0123456789"), (commands) => assert.isUndefined(commands))
    )
  )
})

describe("what grants are compared with for a path", () => {
  it.effect.each([
    ["fs.write", { path: "new.txt", content: "x" }, { kind: "write", paths: ["%/ws/new.txt"] }],
    ["fs.write", { path: "to-other/new.txt", content: "x" }, { kind: "write", paths: ["%/other/new.txt"] }],
    ["fs.edit", { path: "a.txt", oldText: "a", newText: "b" }, { kind: "write", paths: ["%/ws/a.txt"] }],
    ["fs.edit", { path: "to-other/c.txt", oldText: "z", newText: "b" }, { kind: "read", paths: ["%/other/c.txt"] }],
    ["fs.read", { path: "to-other/c.txt" }, { kind: "read", paths: ["%/other/c.txt"] }],
    ["fs.grep", { path: "%/other", pattern: "c" }, { kind: "read", paths: ["%/other"] }],
    ["http.request", { url: "http://EXAMPLE.com:80/x" }, { kind: "host", host: "example.com" }],
    ["http.request", { url: "https://example.com:8443/x" }, { kind: "host", host: "example.com:8443" }],
    // Never.
    ["fs.write", { path: "to-config", content: "x" }, undefined],
    ["fs.write", { path: "second", content: "x" }, undefined],
    ["fs.write", { path: "%/state/.env", content: "x" }, undefined],
    ["fs.write", { path: "to-skills/b/SKILL.md", content: "y" }, undefined],
    ["fs.write", { path: ".atomic-agent/skills/c/SKILL.md", content: "x" }, undefined],
    ["fs.read", { path: "to-config" }, undefined],
    ["fs.read", { path: "second" }, undefined],
    ["fs.read", { path: "%/state/.env" }, undefined],
    ["attach", { paths: ["to-other/c.txt", "to-config"] }, undefined]
  ] as const)("%s %j: %j", ([tool, args, subject]) =>
    inWorld((root) =>
      Effect.gen(function* () {
        const placed = <A>(value: A): A =>
          value === undefined ? value : JSON.parse(JSON.stringify(value).replaceAll("%", root))
        const need = yield* needOf(tool, placed(args), NodePath.join(root, "ws"))
        assert.isObject(need)
        assert.deepStrictEqual(typeof need === "object" ? need.subject : need, placed(subject) as never)
      })
    )
  )

  it.effect.runIf(process.platform === "linux")("none may cover what the system shows of processes", () =>
    inWorld((root) =>
      Effect.gen(function* () {
        for (const [tool, args] of [
          ["fs.read", { path: "/proc/version" }],
          ["attach", { paths: ["to-other/c.txt", "/proc/version"] }]
        ] as const) {
          const need = yield* needOf(tool, args, NodePath.join(root, "ws"))
          assert.isObject(need)
          assert.notProperty(need, "subject")
        }
      })
    )
  )
})
