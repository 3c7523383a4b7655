import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import ts from "typescript"
import { decodeFramed } from "../../src/stdio/StdinDecoder.ts"
import { root, StateDir } from "../support/Bin.ts"
import { codeOf, documents, type Fence, fences, markedAs, placeOf, rowsOf } from "./Documents.ts"
import { installInto } from "./install.ts"

const { bin, scripts } = JSON.parse(Fs.readFileSync(Path.join(root, "package.json"), "utf8"))
const packages = new Set(["effect", "@effect/platform-node"])
const eventTypes = new Set([...rowsOf("events"), ...rowsOf("extension-events")])

const isProgram = ({ language }: Fence) => language === "ts" || language === "js"

/** The faults of all programs in the documents, as a user of the package sees them. */
const typeFaults = (programs: ReadonlyArray<Fence>): ReadonlyArray<string> => {
  using dir = new StateDir()
  installInto(dir.path)
  const places = new Map(
    programs.map((fence) => {
      const name = `${placeOf(fence).replaceAll(/[^\w-]/g, "-")}.m${fence.language}`
      const path = Path.join(Fs.realpathSync(dir.path), name)
      Fs.writeFileSync(path, fence.code)
      return [path.replaceAll(Path.sep, "/"), fence]
    })
  )
  const program = ts.createProgram([...places.keys()], {
    target: ts.ScriptTarget.ES2024,
    lib: ["lib.es2024.d.ts", "lib.esnext.disposable.d.ts"],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ["node"],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    allowJs: true,
    checkJs: true,
    skipLibCheck: true,
    noEmit: true
  })
  return ts.getPreEmitDiagnostics(program).map(({ file, messageText, start }) => {
    const fence = places.get(file?.fileName ?? "")
    const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start ?? 0).line
    const place = fence === undefined ? file?.fileName : `${fence.document}:${fence.line + line + 1}`
    return `${place}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`
  })
}

/** What of a command would not be there for a reader who types it in the root of the repository. */
const missingIn = (command: string): string | undefined => {
  const [program = "", first = "", ...rest] = command.split(/\s+/).filter((word) => !/^[A-Z_]+=/.test(word))
  if (program === bin || program in bin) return undefined
  if (program === "node") return Fs.existsSync(Path.join(root, first)) ? undefined : first
  if (program !== "npm") return program
  if (["ci", "start", "test", "pack"].includes(first)) return undefined
  if (first === "install") return rest.find((name) => !packages.has(name))
  const [name = "", ...args] = rest
  if (first !== "run" || !(name in scripts)) return `${first} ${name}`
  const source = Fs.globSync(`scripts/{${name.replace(/:.*/, "")}.ts,${name.replace(/:.*/, "")}/**/*.ts}`, {
    cwd: root
  })
    .map((path) => Fs.readFileSync(Path.join(root, path), "utf8"))
    .join("\n")
  return args.find((arg) => /^--\w/.test(arg) && !source.includes(arg))
}

describe("fenced examples", () => {
  it("all are run or checked, or say why they are not", () => {
    const unmarked = new Set(["ts", "js", "sh"])
    const kinds = new Set(["run", "file", "conversation", "events", "not run"])
    const unknown = fences.filter(({ language, mark }) =>
      mark === "" ? !unmarked.has(language) : !kinds.has(mark.replace(/: .*/, ""))
    )
    assert.deepStrictEqual(unknown.map(placeOf), [])
    const notRun = markedAs("not run")
    assert.isAtMost(notRun.length, 5)
    for (const [why, { language }] of notRun) {
      assert.isNotEmpty(why)
      assert.strictEqual(language, "sh", "only what would start something else is not run")
    }
  })

  it("that are to be run are run by a test", () => {
    const tests = Fs.globSync("*.test.ts", { cwd: import.meta.dirname })
      .map((path) => Fs.readFileSync(Path.join(import.meta.dirname, path), "utf8"))
      .join("\n")
    const names = markedAs("run").map(([name]) => name)
    assert.deepStrictEqual(
      names.filter((name) => !tests.includes(`codeOf("${name}")`)),
      []
    )
  })

  it("in TypeScript and JavaScript have no type faults", { timeout: 120_000 }, () => {
    assert.deepStrictEqual(typeFaults(fences.filter(isProgram)), [])
  })

  it("for a shell can be parsed", () => {
    for (const fence of fences.filter(({ language }) => language === "sh")) {
      execFileSync("sh", ["-n"], { input: fence.code, stdio: ["pipe", "pipe", "pipe"] })
    }
  })

  it("name commands that there are", () => {
    const faults = fences
      .filter(({ language, mark }) => language === "sh" && !mark.startsWith("not run"))
      .flatMap((fence) =>
        fence.code
          .split(/\n|&&/)
          .map((line) => line.replace(/(^|\s)#.*/, "").trim())
          .filter((command) => command !== "")
          .map((command) => ({ place: placeOf(fence), command, missing: missingIn(command) }))
      )
      .filter(({ missing }) => missing !== undefined)
    assert.deepStrictEqual(faults, [])
  })

  it("and the text around them name scripts that there are", () => {
    const named = documents.flatMap(({ path, text }) =>
      [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = ""]) => ({ path, name }))
    )
    assert.deepStrictEqual(
      named.filter(({ name }) => !(name in scripts)),
      []
    )
  })

  it("of conversations have requests that are accepted, and frames of the protocol", () => {
    for (const [, fence] of markedAs("conversation")) {
      for (const line of fence.code.trimEnd().split("\n")) {
        const [, direction, text = ""] = /^([→←]) (.*)$/.exec(line) ?? []
        assert.isDefined(direction, line)
        if (direction === "→") {
          assert.strictEqual(decodeFramed({ _tag: "Line", text }, 10_000)._tag, "Request", line)
          continue
        }
        const frame = JSON.parse(text.replaceAll(/,…(?=})/g, ""))
        if (frame.kind === "event") assert.isTrue(eventTypes.has(frame.type), line)
        else assert.hasAllKeys(frame, ["kind", "correlationId", "ok", "payload"], line)
      }
    }
  })

  it("of the order of events name events that there are, and leave out none of a turn's", () => {
    const [[, fence] = []] = markedAs("events")
    const named = new Set(
      (fence?.code ?? "")
        .split("\n")
        .flatMap((line) => line.replace(/(\S) {2,}\S.*/, "$1").match(/[a-z]+(_[a-z]+)+/g) ?? [])
    )
    assert.deepStrictEqual(
      [...named].filter((name) => !eventTypes.has(name)),
      []
    )
    const ofTurns = [...eventTypes].filter((type) =>
      /^(turn_(st|fi)|step_|user_|assistant_|reasoning_|tool_|steer_|session_(comp|fail)|llm_re)/.test(type)
    )
    assert.deepStrictEqual(
      ofTurns.filter((type) => !named.has(type)),
      []
    )
  })
})

/** Runs a fence as a reader would who has the package's bin on the PATH; the input is at its end. */
const runInShell = async (code: string): Promise<{ readonly exitCode: unknown; readonly output: string }> => {
  using dir = new StateDir()
  const command = Path.join(dir.path, "atomic-agent-sidecar")
  Fs.writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${Path.join(root, "dist/sidecar/main.js")}' "$@"\n`)
  Fs.chmodSync(command, 0o755)
  const path = [dir.path, Path.dirname(process.execPath), process.env["PATH"]].join(Path.delimiter)
  const child = spawn("sh", ["-c", code], {
    cwd: root,
    env: { ...process.env, PATH: path, ATOMIC_AGENT_STATE_DIR: dir.path },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text))
  const [exitCode] = await once(child, "close")
  return { exitCode, output }
}

describe.skipIf(process.platform === "win32")("commands that are harmless", () => {
  it("start a sidecar with telemetry", async () => {
    assert.deepStrictEqual(await runInShell(codeOf("telemetry")), { exitCode: 0, output: "" })
  })
})
