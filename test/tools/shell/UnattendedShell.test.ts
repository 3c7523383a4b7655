import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, symlinkSync } from "node:fs"
import * as NodePath from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { call, plan, plant, temporaryDirectory, toolbox } from "../fixture.ts"

const secret = "SECRET-OF-ANOTHER-FOLDER"

interface World {
  readonly root: string
  readonly outside: string
}

/** A working directory, and a folder beside it with a secret. */
const inWorld = (test: (world: World) => Effect.Effect<unknown, any, any>): Effect.Effect<void> =>
  Effect.gen(function* () {
    const [root, outside] = [yield* temporaryDirectory, yield* temporaryDirectory]
    plant(outside, { secret: `${secret}\n`, "folder/secret": `${secret}\n` })
    yield* test({ root, outside })
  }).pipe(Effect.scoped, Effect.provide(toolbox())) as Effect.Effect<void>

const needOf = (command: string, root: string, cwd?: string) =>
  plan("shell.run", { command, ...(cwd === undefined ? {} : { cwd }) }, root).pipe(
    Effect.map((planned) => (planned._tag === "Ready" ? planned.need : assert.fail(planned.why)))
  )

const withVariables = <A, E, R>(variables: { readonly [name: string]: string }, effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const before = Object.keys(variables).map((name) => [name, process.env[name]] as const)
    Object.assign(process.env, variables)
    const restore = Effect.sync(() => {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      }
    })
    return Effect.ensuring(effect, restore)
  })

/** A program that leaves a file `ran` beside the one who plants it. */
const plantProgram = (path: string, root: string) => {
  plant(NodePath.dirname(path), { [NodePath.basename(path)]: `#!/bin/sh\ntouch '${root}/ran'\n` })
  chmodSync(path, 0o755)
}

const link = (world: World, target: string, name: string | Buffer) =>
  symlinkSync(NodePath.join(world.outside, target), typeof name === "string" ? NodePath.join(world.root, name) : name)

/** Lines with which a shell would show the secret, and what is planted for them. */
const attacks: ReadonlyArray<readonly [command: string, prepare: (world: World) => void]> = [
  ["cat sub/[id].ts", (world) => (plant(world.root, { "sub/": "" }), link(world, "secret", "sub/[id].ts"))],
  ["cat '[id].ts' [id].t?", (world) => link(world, "secret", "[id].t?")],
  [
    "cat *",
    (world) => link(world, "secret", Buffer.concat([Buffer.from(`${world.root}/`), Buffer.from([0xff, 0x78])]))
  ],
  ["cat ??", (world) => link(world, "secret", "é")],
  ["cat ????", (world) => link(world, "secret", "é!x")],
  ["cat [x\\]]*", (world) => link(world, "secret", "]q")],
  ["cat ['!'x]ab", (world) => link(world, "secret", "xab")],
  ['cat ["^"x]ab', (world) => link(world, "secret", "xab")],
  ["cat ./[a\\-z]b", (world) => link(world, "secret", "-b")],
  ["cat [![:alpha:]]x", (world) => link(world, "secret", "1x")],
  ["cat [[:alpha:]]x", (world) => link(world, "secret", "zx")],
  [
    "diff -rN -- --no-dereference d",
    (world) => {
      plant(world.root, { "--no-dereference/": "", "d/": "" })
      link(world, "secret", "d/l")
    }
  ],
  [
    "diff -r --label --no-dereference a d",
    (world) => {
      plant(world.root, { "a/l": "", "d/": "" })
      link(world, "secret", "d/l")
    }
  ],
  ["cat -- *", (world) => link(world, "secret", "-n")],
  ["cat */secret", (world) => link(world, "folder", "d")],
  ["ls -d */", (world) => link(world, "folder", "d")],
  ["echo d/*", (world) => link(world, "folder", "d")]
]

describe("a line of the read-only list", () => {
  it.effect.each(attacks)("shows nothing of another folder unasked: %s", ([command, prepare]) =>
    inWorld((world) =>
      Effect.gen(function* () {
        prepare(world)
        if ((yield* needOf(command, world.root)) !== undefined) return
        const { summary } = yield* call("shell.run", { command }, world.root)
        assert.notInclude(summary, "SECRET")
        assert.notMatch(summary, /folder|d\/secret/)
      })
    )
  )

  it.effect("takes no name for an option", () =>
    inWorld(({ outside, root }) =>
      Effect.gen(function* () {
        plant(root, { "--files0-from=list": "a\n", list: `${outside}/secret\0`, "-n": "b\n", "--version": "c\n" })
        for (const [command, shown] of [
          ["wc [-]*", "./--files0-from=list"],
          ["wc -- --files0-from=list", "./--files0-from=list"],
          ["du [-]*", "./--files0-from=list"],
          ["cat [-]n", "exit code 0\nb"],
          ["cat -- --version", "exit code 0\nc"],
          ["sort [-]-v*", "exit code 0\nc"]
        ] as const) {
          assert.isUndefined(yield* needOf(command, root), command)
          const { summary } = yield* call("shell.run", { command }, root)
          assert.include(summary, shown, command)
          assert.notInclude(summary, outside, command)
        }
      })
    )
  )

  it.effect("does not ask for what is only text, or stays inside", () =>
    inWorld(({ outside, root }) =>
      Effect.gen(function* () {
        plant(root, { "a/x.ts": "1\n", "b/x.ts": "2\n", ".hidden": "h\n", "l/[id].ts": "i\n", "c d": "e\n" })
        symlinkSync(NodePath.join(outside, "secret"), NodePath.join(root, "b/y.ts"))
        for (const [command, shown] of [
          ["grep -rh --include=*.ts 1 a", "exit code 0\n1"],
          ["grep -rh --exclude=*.ts -e 1* .", "exit code"],
          ["cat .h*", "exit code 0\nh"],
          ["find . -name *.ts -path ./a*", "exit code 0\n./a/x.ts"],
          ["echo [1] 'a*' \\* a/*.ts none*", "exit code 0\n[1] a* * a/x.ts none*"],
          ["cat l/[id].ts", "exit code 0\ni"],
          ["cat c*", "exit code 0\ne"],
          ["printf '%s,' 'it'\\''s' \"a\nb\" '' '!' 'if'", "exit code 0\nit's,a\nb,,!,if,"],
          ["ls none 2>&1 | grep -c none", "exit code 0\n1"],
          ["cat none || echo other && echo more", "other\nmore"]
        ] as const) {
          assert.isUndefined(yield* needOf(command, root), command)
          assert.include((yield* call("shell.run", { command }, root)).summary, shown, command)
        }
        if (process.platform !== "linux") return
        assert.isUndefined(yield* needOf("diff -r a b", root))
        const { summary } = yield* call("shell.run", { command: "diff -r a b" }, root)
        assert.include(summary, "y.ts")
        assert.notInclude(summary, secret)
      })
    )
  )

  it.effect("asks where a pattern has too many names", () =>
    inWorld(({ root }) =>
      Effect.gen(function* () {
        plant(root, Object.fromEntries(Array.from({ length: 520 }, (_, at) => [`${"n".repeat(250)}${at}`, ""])))
        assert.isDefined(yield* needOf("cat *", root))
        assert.isUndefined(yield* needOf("cat *1", root))
      })
    )
  )

  it.effect("runs no program from where the agent may write, by whatever way the PATH leads there", () =>
    inWorld(({ outside, root }) =>
      Effect.gen(function* () {
        const home = yield* temporaryDirectory
        plantProgram(NodePath.join(root, "bin/ls"), root)
        plantProgram(NodePath.join(home, ".cargo/bin/ls"), root)
        plant(outside, { "links/": "", "chain/": "", "system/": "" })
        const to = (target: string, name: string) => symlinkSync(target, NodePath.join(outside, name))
        to(NodePath.join(root, "bin/ls"), "links/ls")
        to(NodePath.join(root, "bin"), "folder-link")
        to(home, "home")
        // A link that the agent may write decides, wherever it leads today.
        symlinkSync("/bin/ls", NodePath.join(root, "real-ls"))
        to(NodePath.join(root, "real-ls"), "chain/ls")
        symlinkSync(NodePath.join(outside, "system"), NodePath.join(root, "system"))
        plantProgram(NodePath.join(outside, "system/ls"), root)
        for (const [folder, HOME] of [
          [NodePath.join(root, "bin")],
          [NodePath.join(outside, "links")],
          [NodePath.join(outside, "folder-link")],
          [NodePath.join(outside, "chain")],
          [NodePath.join(root, "system")],
          [NodePath.join(outside, "home/.cargo/bin"), NodePath.join(outside, "home")],
          [NodePath.join(outside, "home/.cargo/bin"), home]
        ] as ReadonlyArray<readonly [string, string?]>) {
          const variables = { PATH: `${folder}:/usr/bin:/bin`, ...(HOME === undefined ? {} : { HOME }) }
          yield* withVariables(
            variables,
            Effect.gen(function* () {
              assert.isUndefined(yield* needOf("ls", root), folder)
              assert.include((yield* call("shell.run", { command: "ls" }, root)).summary, "exit code 0\nbin", folder)
              assert.isFalse(existsSync(NodePath.join(root, "ran")), folder)
            })
          )
        }
      })
    )
  )

  it.effect("runs programs alone, no builtin of a shell", () =>
    inWorld(({ outside, root }) =>
      Effect.gen(function* () {
        for (const name of ["echo", "printf", "pwd", "true", "rg"]) {
          plant(outside, { [`bin/${name}`]: `#!/bin/sh\n/bin/echo program "$@"\n` })
          chmodSync(NodePath.join(outside, "bin", name), 0o755)
        }
        plant(root, { "-x": "" })
        const all: ReadonlyArray<readonly [string, string]> = [
          ["printf 'a%n' PATH; true", "program a%n PATH\nprogram"],
          ["echo a | cat && pwd", "program a\nprogram"],
          [
            "rg x *",
            "program --no-config --no-ignore-parent --no-ignore-global --no-ignore-exclude --no-ignore-messages x ./-x"
          ]
        ]
        for (const [command, shown] of all) {
          yield* withVariables(
            { PATH: `${NodePath.join(outside, "bin")}:/usr/bin` },
            Effect.gen(function* () {
              assert.isUndefined(yield* needOf(command, root), command)
              const { summary } = yield* call("shell.run", { command }, root)
              assert.strictEqual(summary, `exit code 0\n${shown}`)
            })
          )
        }
      })
    )
  )

  it.effect("names a program that is missing, and asks for one that is only where the agent may write", () =>
    inWorld(({ root }) =>
      Effect.gen(function* () {
        const missing = ["rg", "tree"].find((name) =>
          ["/usr/local/bin", "/usr/bin", "/bin"].every((folder) => !existsSync(NodePath.join(folder, name)))
        )
        // Where both are installed, the words of the shell are tested with the line alone.
        if (missing === undefined) return
        plant(root, { a: "x\n" })
        yield* withVariables(
          { PATH: "/usr/bin:/bin" },
          Effect.gen(function* () {
            assert.isUndefined(yield* needOf(`${missing} x`, root))
            const { summary } = yield* call("shell.run", { command: `${missing} x` }, root)
            assert.include(summary, `exit code 127\n--- stderr ---\n${missing}: command not found`)
            const other = yield* call("shell.run", { command: `${missing} x 2>&1 || grep -n x a` }, root)
            assert.include(other.summary, `exit code 0\n${missing}: command not found\n1:x`)
          })
        )
        plantProgram(NodePath.join(root, "bin", missing), root)
        const PATH = `${NodePath.join(root, "bin")}:/usr/bin`
        assert.deepInclude(yield* withVariables({ PATH }, needOf(`${missing} x`, root)), { category: "shell" })
      })
    )
  )

  it.effect("asks for a repository beyond the working directory as for a read, by name, and then reads it", () =>
    inWorld(({ root }) =>
      Effect.gen(function* () {
        const git = (...args: ReadonlyArray<string>) => execFileSync("git", args, { cwd: root, stdio: "ignore" })
        git("init", "-b", "trunk", ".")
        plant(root, { "sub/a": "1\n" })
        git("add", ".")
        const sub = NodePath.join(root, "sub")
        const need = yield* needOf("git status --short | cat", sub)
        assert.deepInclude(need, {
          category: "fs_read_outside",
          preview: "git status --short | cat",
          affectedResources: [root]
        })
        assert.include(need?.reason, root)
        assert.include((yield* call("shell.run", { command: "git status --short" }, sub)).summary, "A  a")
        // What has changed since it was shown does not run.
        const planned = yield* plan("shell.run", { command: "git status" }, sub)
        git("config", "core.fsmonitor", "./x")
        if (planned._tag !== "Ready") return assert.fail(planned.why)
        assert.deepInclude(yield* planned.run, { status: "error" })
      })
    )
  )
})
