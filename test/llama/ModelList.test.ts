import { assert, describe, it } from "@effect/vitest"
import * as ModelList from "../../src/llama/ModelList.ts"

const list = (...data: ReadonlyArray<unknown>) => ModelList.parse({ object: "list", data }) ?? []
const loaded = (id: string) => ({ id, status: { value: "loaded" } })
const unloaded = (id: string) => ({ id, status: { value: "unloaded" } })

const chosen: ReadonlyArray<
  readonly [what: string, listed: ReadonlyArray<ModelList.ListedModel>, name: string, known?: object]
> = [
  ["the only one", list({ id: "a" }), "a"],
  ["the only one, which is not loaded", list(unloaded("a")), "a"],
  ["the only one that is loaded", list(unloaded("a"), loaded("b"), unloaded("c")), "b"],
  ["the one that is being loaded", list(unloaded("a"), { id: "b", status: { value: "loading" } }), "b"],
  ["the one that sleeps", list(unloaded("a"), { id: "b", status: { value: "sleeping" } }), "b"],
  [
    "the only one of LM Studio that is loaded",
    list({ id: "a", state: "not-loaded" }, { id: "b", state: "loaded" }),
    "b"
  ],
  ["the only one that is not for embeddings", list({ id: "nomic-embed-text:latest" }, { id: "qwen3:8b" }), "qwen3:8b"],
  ["the only one that LM Studio does not call so", list({ id: "bge", type: "embeddings" }, { id: "a" }), "a"],
  ["the one chosen before, of several", list({ id: "a" }, { id: "b" }), "b", { before: "b" }],
  ["the one chosen before, of several that are loaded", list(loaded("a"), loaded("b")), "b", { before: "b" }],
  ["the loaded one in place of the one before", list(loaded("a"), unloaded("b")), "a", { before: "b" }],
  ["the configured one", list(loaded("a"), { id: "b" }), "b", { configured: "b" }],
  ["the configured one by its alias", list({ id: "a", aliases: ["x"] }, { id: "b" }), "x", { configured: "x" }],
  ["the configured one without its tag", list({ id: "q:latest" }, { id: "b" }), "Q", { configured: "Q" }],
  ["the configured one, whatever the only one is", list({ id: "a" }), "b", { configured: "b" }],
  ["the configured one where none is listed", [], "b", { configured: "b" }]
]

const notChosen: ReadonlyArray<
  readonly [what: string, listed: ReadonlyArray<ModelList.ListedModel>, detail: string, known?: object]
> = [
  [
    "of several that are not loaded",
    list(unloaded("a"), unloaded("b")),
    "the server has several models: set localModels.model to one of a, b"
  ],
  [
    "of several that are loaded",
    list(loaded("a"), unloaded("b"), loaded("c")),
    "the server has several models: set localModels.model to one of a, c"
  ],
  [
    "where the one before is gone",
    list({ id: "a" }, { id: "b" }),
    "the server has several models: set localModels.model to one of a, b",
    { before: "c" }
  ],
  [
    "that is configured and not there",
    list({ id: "a" }, { id: "b" }),
    "the server has no model c: set localModels.model to one of a, b",
    { configured: "c" }
  ],
  [
    "of more than can be told",
    list(...Array.from({ length: 14 }, (_, at) => ({ id: `m${at}` }))),
    "the server has several models: set localModels.model to one of m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11 and 2 more"
  ]
]

const choose = (listed: ReadonlyArray<ModelList.ListedModel>, known: object = {}) => {
  const { before, configured }: { before?: string; configured?: string } = known
  return ModelList.choose(listed, configured, before)
}

describe("of a list of models", () => {
  for (const [what, listed, name, known] of chosen) {
    it(`requests name ${what}`, () => assert.deepInclude(choose(listed, known), { name }))
  }
  for (const [what, listed, detail, known] of notChosen) {
    it(`requests name none ${what}`, () => assert.deepStrictEqual(choose(listed, known), { detail }))
  }

  it("that is empty requests name none", () => assert.deepStrictEqual(choose([]), {}))

  it("entries without a name are left out", () =>
    assert.deepStrictEqual(
      list(null, 1, { id: 2 }, { id: "a" }).map(({ id }) => id),
      ["a"]
    ))

  it("the window is read, whatever it is called", () => {
    const windows = [{ meta: { n_ctx: 1 } }, { max_model_len: 2 }, { loaded_context_length: 3 }, { context_length: 4 }]
    assert.deepStrictEqual(
      list(...windows.map((each) => ({ id: "a", ...each }))).map(({ contextTokens }) => contextTokens),
      [1, 2, 3, 4]
    )
  })
})

it("what is no list is none", () => {
  for (const body of [undefined, null, [], { data: null }, { data: {} }]) assert.isNull(ModelList.parse(body))
})
