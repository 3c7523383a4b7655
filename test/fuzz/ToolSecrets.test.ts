import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as NodePath from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { SeededRandom, seedOf } from "../../src/testing/SeededRandom.ts"
import { boundResult } from "../../src/tools/ResultBudget.ts"
import { Toolbox } from "../../src/tools/Toolbox.ts"
import { fragmentsIn, textsOf } from "../support/Fragments.ts"
import { plan, plant, settings, temporaryDirectory, toolbox } from "../tools/fixture.ts"
import { patience } from "./holds.ts"

const runs = Math.ceil(Number(process.env["FUZZ_RUNS"] ?? 300) / 30)
const seed = Number(process.env["FUZZ_SEED"] ?? 7)

const apiKey = 'sk-9fJ2kLm"No4\\&MNo<PqRsT9+/=='
const token = "otel.4Xy8ZaB1cD6eF0gH"

/** Answers with what it is asked, in its head and its body. */
const echo = Effect.acquireRelease(
  Effect.callback<ReturnType<typeof createServer>>((resume) => {
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        response.writeHead(200, { "content-type": "text/plain", "x-echo": encodeURIComponent(apiKey) })
        response.end(`${request.url}\n${JSON.stringify(request.headers)}\n${Buffer.concat(chunks).toString()}`)
      })
    }).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) => Effect.sync(() => server.close())
).pipe(Effect.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`))

/** A text with pieces of the secrets in it, some of them where texts are cut. */
const textWith = (random: SeededRandom): string =>
  random
    .list(random.integer(1, 6), () => {
      const secret = random.pick([apiKey, token, `Bearer ${token}`])
      const from = random.integer(0, secret.length - 8)
      const piece = secret.slice(from, random.integer(from + 8, secret.length))
      const written = random.pick([
        piece,
        JSON.stringify(piece),
        encodeURIComponent(piece),
        piece.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;"),
        piece.replaceAll(/.{3}/g, "$&\n"),
        piece.replaceAll(/.{2}/g, "$&\u001b[1m")
      ])
      // The lengths at which lines, results and outputs are cut.
      const width = random.pick([0, 3, 380, 390, 398, 1970, 1990, 2000, 21_300, 31_970])
      return `${"x".repeat(Math.max(0, width - random.integer(0, 12)))} ${written}${random.pick([" ", "\n", ""])}`
    })
    .join("")

const callsFor = (random: SeededRandom, url: string): ReadonlyArray<readonly [tool: string, args: object]> => {
  const cut = random.integer(8, 20)
  return [
    ["fs.read", { path: "text.txt", offset: random.pick([1, 2, -2]) }],
    ["fs.grep", { pattern: random.pick([".", "x", "(sk|otel)", "["]), context: random.integer(0, 2) }],
    ["fs.list", { path: "." }],
    ["fs.glob", { pattern: "*" }],
    ["fs.write", { path: "text.txt", content: "other" }],
    ["fs.write", { path: "new.txt", content: textWith(random) }],
    ["fs.edit", { path: "text.txt", oldText: random.pick(["x", "not there", " "]), newText: textWith(random) }],
    ["attach", { paths: ["text.txt", `${token}.txt`] }],
    ["shell.run", { command: `cat text.txt; cat text.txt >&2; exit ${random.integer(0, 3)}` }],
    ["shell.run", { command: `fold -w ${cut} text.txt` }],
    ["shell.run", { command: `cut -c${random.integer(1, 8)}-${cut + 9} text.txt` }],
    ["shell.run", { command: `echo ${token}; ./${token}` }],
    ["http.request", { url: `${url}?k=${encodeURIComponent(apiKey)}`, headers: { authorization: `Bearer ${token}` } }],
    ["http.request", { url, method: "POST", body: textWith(random) }],
    ["http.request", { url: `http://${token}.invalid/` }],
    ["skill.view", { name: "demo" }],
    ["skill.view", { name: token }],
    ["skill.run_script", { skill: "demo", script: "print.sh", args: [token] }],
    ["skill.run_script", { skill: "demo", script: `${token}.sh` }],
    ["fs.read", { path: `missing/${token}` }],
    ["fs.read", { path: "\0" }],
    ["finish", { summary: textWith(random) }]
  ]
}

describe("what a tool gives back and what it asks", { timeout: patience }, () => {
  it.live("has no piece of a secret in it, whatever tool, text and cut", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      const url = yield* echo
      plant(root, {
        ".atomic-agent/skills/demo/scripts/print.sh": 'cat text.txt; echo "$@"\n',
        [`${token}.txt`]: "",
        [`${token.slice(3, 14)}.txt`]: ""
      })
      const box = toolbox({
        stateDir: NodePath.join(root, "state"),
        llama: { ...settings.llama, apiKey: Redacted.make(apiKey) },
        secrets: [Redacted.make(`Bearer ${token}`)],
        http: { ...settings.http, hostAllowlist: ["127.0.0.1"] },
        tools: { shell: { ...settings.tools.shell, maxOutputBytes: 4000 } }
      })
      const hiding = new Set<string>()
      yield* Effect.gen(function* () {
        yield* Toolbox
        for (let run = 0; run < runs; run++) {
          const random = new SeededRandom(seedOf(seed, run))
          const text = textWith(random)
          writeFileSync(NodePath.join(root, "text.txt"), text)
          writeFileSync(
            NodePath.join(root, ".atomic-agent/skills/demo/SKILL.md"),
            `---\nname: demo\ndescription: Prints.\nrequires_scripts: [print.sh]\n---\n\n${text.slice(0, 9000)}\n`
          )
          for (const [tool, args] of callsFor(random, url)) {
            writeFileSync(NodePath.join(root, "text.txt"), text)
            const planned = yield* plan(tool, args, root)
            const { attachments: _, ...result } =
              planned._tag === "Ready"
                ? boundResult(yield* planned.run, random.integer(1, 8))
                : { summary: planned.why, attachments: undefined }
            const need = planned._tag === "Ready" ? planned.need : undefined
            for (const each of textsOf({ ...result, need })) {
              const found = [...fragmentsIn(each, apiKey), ...fragmentsIn(each, token)]
              assert.deepStrictEqual(found, [], `${tool} ${JSON.stringify(args)}: ${each}`)
              if (each.includes("<secret>")) hiding.add(tool)
            }
          }
        }
      }).pipe(Effect.provide(box))
      // Each of them had one to hide.
      assert.sameMembers([...hiding], [...new Set(callsFor(new SeededRandom(0), url).map(([tool]) => tool))])
    }).pipe(Effect.scoped)
  )
})
