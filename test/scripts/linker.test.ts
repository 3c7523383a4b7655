import * as Vm from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { link } from "../../scripts/build/Linker.ts"

const map = { sources: [], sourcesContent: [], mappings: "" }

/** As the bundler leaves them: imports at the top, the exports in one statement at the end. */
const pieces = (codes: { readonly [name: string]: string }) =>
  Object.entries(codes).map(([name, code]) => ({ name, code, map }))

const four = pieces({
  "main.js": `import {
  core
} from "./core.js";
say("main", core);
var load = async () => {
  say((await import("./a.js")).own, (await import("./b.js")).own);
};
say(load);
`,
  "core.js": `var kept = "core";
say("core");
export {
  kept as core
};
`,
  "a.js": `import {
  pair
} from "./pair.js";
import {
  core as kept
} from "./core.js";
var own = ["a", pair, kept];
export {
  own
};
`,
  "b.js": `import {
  pair
} from "./pair.js";
var own = ["b", pair];
export {
  own
};
`,
  "pair.js": `say("pair");
var pair = {};
export {
  pair
};
`
})

describe("the linker", () => {
  it("runs the entry and what it imports, and the rest once, when it is imported", async () => {
    const said: Array<unknown> = []
    let compiled = 0
    const { early, later } = link(four, "main.js")
    const run = (code: string) => Vm.runInNewContext(code, { say: (...words: Array<unknown>) => said.push(...words) })
    run(early.code)(() => {
      compiled++
      return run(later.code)
    })
    const load = said.pop() as () => Promise<void>
    assert.deepStrictEqual([...said, compiled], ["core", "main", "core", 0])
    said.length = 0
    await load()
    await load()
    const [pair, a, b, again] = said as [string, [string, object, string], [string, object], unknown]
    assert.deepStrictEqual([pair, a[0], a[2], b[0], compiled], ["pair", "a", "core", "b", 1])
    assert.strictEqual(a[1], b[1])
    assert.strictEqual(again, a)
  })

  it("keeps the lines of each piece, from where it says that it stands", () => {
    const { early, later } = link(
      four.map((piece) => ({ ...piece, map: { ...map, sources: [piece.name] } })),
      "main.js"
    )
    const found = [early, later].flatMap(({ code, sections }) =>
      sections.map(({ map: { sources }, offset }) => [sources[0], code.split("\n")[offset.line + 3]] as const)
    )
    assert.sameDeepMembers(found, [
      ["main.js", `say("main", core);`],
      ["core.js", ""],
      ["a.js", 'const { core: kept } = $take("core.js");'],
      ["b.js", `var own = ["b", pair];`],
      ["pair.js", ""]
    ])
  })

  it.each([
    ["count++;", "count"],
    ["var count; count = 1;", "count"],
    ["var count; (() => { count ||= 2 })();", "count"]
  ])("refuses a piece that exports what it assigns to: %s", (code, name) => {
    const changing = pieces({
      "main.js": `import("./later.js");`,
      "later.js": `${code}\nexport {\n  count as other\n};`
    })
    assert.throws(() => link(changing, "main.js"), `later.js exports ${name} and assigns to it`)
  })
})
