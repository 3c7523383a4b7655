import type { SeededRandom } from "../../../src/testing/SeededRandom.ts"
import type { Scene } from "./Place.ts"

/** A call as the model asks for it. */
export interface ToolCall {
  readonly name: string
  /** Arguments as a value; a string stands for itself, usable or not. */
  readonly arguments: unknown
}

export const drawToolCall = (random: SeededRandom, scene: Scene): ToolCall => {
  const name = random.weighted(weights)
  return { name: name.replace(".", "_"), arguments: makeArguments[name](random, scene) }
}

const weights = {
  "fs.list": 3,
  "fs.read": 4,
  "fs.write": 5,
  "fs.edit": 4,
  "fs.glob": 2,
  "fs.grep": 2,
  "shell.run": 9,
  "http.request": 3,
  "skill.view": 1,
  "skill.run_script": 2,
  attach: 1,
  finish: 2,
  "no.such_tool": 1
} as const

const path = (random: SeededRandom, { home, state, work }: Scene): string => {
  const where = random.weighted({ inside: 14, deep: 3, home: 2, outside: 2, trust: 1, odd: 1 })
  switch (where) {
    case "inside":
      return random.pick([
        "a.txt",
        "b.txt",
        "./a.txt",
        "big.txt",
        "binary.bin",
        `${work}/a.txt`,
        "with \u2028 in it.txt"
      ])
    case "deep":
      return random.pick(["deep/er/c.txt", "link/a.txt", "deep/../a.txt"])
    case "home":
      return random.pick([`${home}/notes.txt`, "~/notes.txt"])
    case "outside":
      return random.pick(["../outside.txt", "/etc/hostname", "/proc/self/status", "link-out"])
    case "trust":
      return random.pick([`${state}/config.json`, `${state}/.env`, ".atomic-agent/skills/made/SKILL.md"])
    case "odd":
      return random.pick(["", ".", "/dev/zero", "pipe", "\0", "x".repeat(5000), "loop"])
  }
}

const makeArguments: { readonly [K in keyof typeof weights]: (random: SeededRandom, scene: Scene) => unknown } = {
  "fs.list": (random) => ({ path: random.pick([".", "deep", "nowhere", "/etc"]), depth: random.pick([1, 2, 3, 9]) }),
  "fs.read": (random, scene) => ({ path: path(random, scene), limit: random.pick([1, 50, 100_000]) }),
  "fs.write": (random, scene) => ({
    path: path(random, scene),
    content: random.pick(["line 1\nline 2\n", "", "日本語 👩‍👩‍👧‍👦\u2028", "x".repeat(random.pick([1000, 200_000]))])
  }),
  "fs.edit": (random, scene) => ({
    path: path(random, scene),
    oldText: random.pick(["line 1", "line", "not there", ""]),
    newText: random.pick(["line 1", "LINE", "", "line 1\nline 3"]),
    ...(random.chance(0.3) && { replaceAll: true })
  }),
  "fs.glob": (random) => ({ pattern: random.pick(["**/*", "*.txt", "[", "{a,b}.txt", "../**"]) }),
  "fs.grep": (random) => ({ pattern: random.pick(["line", "(", "(a+)+$", "", "日"]), context: random.integer(0, 3) }),
  "shell.run": (random) => ({
    command: random.pick(random.chance(0.5) ? quickCommands : commands),
    ...(random.chance(0.3) && { timeoutMs: random.integer(1, 800) }),
    ...(random.chance(0.05) && { cwd: random.pick(["deep", "nowhere", "a.txt"]) })
  }),
  "http.request": (random, { serverUrl }) => ({
    url: random.pick([`${serverUrl}/props`, `${serverUrl}/no/page`, ...addresses]),
    ...(random.chance(0.2) && { method: random.pick(["POST", "HEAD", "BREW"]), body: "hello" })
  }),
  "skill.view": (random) => ({ name: random.pick(["good-skill", "?", "no-such", "../x"]) }),
  "skill.run_script": (random) => ({
    skill: "good-skill",
    script: random.pick(["hello.sh", "hello.sh", "slow.sh", "../../x", "undeclared.sh"]),
    args: random.pick([[], ["a b", "$(id)"]])
  }),
  attach: (random) => ({ paths: random.pick([["a.txt"], ["nowhere.txt"], [], ["/etc/hostname", "a.txt"]]) }),
  finish: (random) => ({ summary: random.pick(["All is done.", "", "fertig\u2029"]) }),
  "no.such_tool": () => ({ anything: 1 })
}

const quickCommands = ["pwd", "ls -la", "cat a.txt | head -2", "echo hi > made.txt", "wc -l a.txt && echo done"]

const commands = [
  "exit 3",
  "nosuchcommand",
  "sleep 0.1; echo late",
  "sleep 60",
  "sleep 61 & echo started",
  "(sleep 62; echo never) & sleep 63",
  "sh -c 'sleep 64 | cat'",
  "trap '' TERM HUP INT; while :; do sleep 0.2; done",
  "(trap '' TERM; sleep 69) & echo left",
  "kill -9 $$",
  "kill -TERM 0; sleep 65",
  "head -c 3000000 /dev/zero | tr '\\0' x",
  "while :; do echo flood; done",
  "printf '\\377\\376\\000'",
  "printf '日本\\342\\200\\250'; printf err >&2; exit 1",
  "cat",
  "exec 1>&- 2>&-; sleep 66",
  "nohup sleep 67 >/dev/null 2>&1 &",
  "ulimit -n 5; ls",
  "cd / && pwd"
]

const addresses = ["http://torture.invalid/", "http://[::1]:9/", "ftp://127.0.0.1/", "http://127.0.0.1:1/", "no url"]
