type Arguments = { readonly [argument: string]: unknown }

/**
 * Values that no argument is meant for: of each type, empty, huge, and texts that are no good as a path or a pattern.
 */
const values: ReadonlyArray<unknown> = [
  null,
  true,
  0,
  -1,
  1.5,
  1e21,
  Number.MAX_SAFE_INTEGER,
  [],
  [[]],
  {},
  { path: "old.txt" },
  "",
  " ",
  ".",
  "..",
  "/",
  "//",
  "~",
  "\0",
  "old.txt\0",
  "\n",
  "\ud800",
  "old\udc00.txt",
  "\u2028",
  "\u202etxt.old",
  "-rf",
  "--",
  "$(x)",
  "CON",
  "C:\\x",
  "\\\\?\\x",
  "x".repeat(5000),
  "x".repeat(1_000_000),
  "../".repeat(2000),
  "(".repeat(3000),
  "(a{1,999}){1,999}",
  "{a,b}".repeat(500),
  "**/".repeat(500),
  "[".repeat(1000),
  ["old.txt", "\0"],
  Array.from({ length: 10_000 }, () => "old.txt")
]

/** Good arguments with each of them made absurd in turn, all of them, none of them, and some that nobody declares. */
export const absurdArguments = (names: ReadonlyArray<string>, good: Arguments): ReadonlyArray<Arguments> => [
  {},
  { ...good, nobodyKnows: { this: ["argument"] } },
  JSON.parse(`{"__proto__": {"path": "old.txt"}, "constructor": 1}`),
  ...names.flatMap((name) => values.map((value) => ({ ...good, [name]: value }))),
  ...values.map((value) => Object.fromEntries(names.map((name) => [name, value])))
]
