import type { Draw } from "./Draw.ts"
import type { Scene } from "./Scene.ts"

/** A call as the model asks for it. */
export interface Wish {
  readonly name: string
  /** Arguments as a value; a string stands for itself, usable or not. */
  readonly arguments: unknown
}

export const drawWish = (draw: Draw, scene: Scene): Wish => {
  const name = draw.weighted(weights)
  return { name: name.replace(".", "_"), arguments: wishes[name](draw, scene) }
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

const path = (draw: Draw, { home, state, work }: Scene): string => {
  const where = draw.weighted({ inside: 14, deep: 3, home: 2, outside: 2, trust: 1, odd: 1 })
  switch (where) {
    case "inside":
      return draw.pick(["a.txt", "b.txt", "./a.txt", "big.txt", "binary.bin", `${work}/a.txt`, "with \u2028 in it.txt"])
    case "deep":
      return draw.pick(["deep/er/c.txt", "link/a.txt", "deep/../a.txt"])
    case "home":
      return draw.pick([`${home}/notes.txt`, "~/notes.txt"])
    case "outside":
      return draw.pick(["../outside.txt", "/etc/hostname", "/proc/self/status", "link-out"])
    case "trust":
      return draw.pick([`${state}/config.json`, `${state}/.env`, ".atomic-agent/skills/made/SKILL.md"])
    case "odd":
      return draw.pick(["", ".", "/dev/zero", "pipe", "\0", "x".repeat(5000), "loop"])
  }
}

const wishes: { readonly [K in keyof typeof weights]: (draw: Draw, scene: Scene) => unknown } = {
  "fs.list": (draw) => ({ path: draw.pick([".", "deep", "nowhere"]), depth: draw.pick([1, 2, 3, 9]) }),
  "fs.read": (draw, scene) => ({ path: path(draw, scene), limit: draw.pick([1, 50, 100_000]) }),
  "fs.write": (draw, scene) => ({
    path: path(draw, scene),
    content: draw.pick(["line 1\nline 2\n", "", "日本語 👩‍👩‍👧‍👦\u2028", "x".repeat(draw.pick([1000, 200_000]))])
  }),
  "fs.edit": (draw, scene) => ({
    path: path(draw, scene),
    oldText: draw.pick(["line 1", "line", "not there", ""]),
    newText: draw.pick(["line 1", "LINE", "", "line 1\nline 3"]),
    ...(draw.chance(0.3) && { replaceAll: true })
  }),
  "fs.glob": (draw) => ({ pattern: draw.pick(["**/*", "*.txt", "[", "{a,b}.txt", "../**"]) }),
  "fs.grep": (draw) => ({ pattern: draw.pick(["line", "(", "(a+)+$", "", "日"]), context: draw.integer(0, 3) }),
  "shell.run": (draw) => ({
    command: draw.pick(draw.chance(0.5) ? quickCommands : commands),
    ...(draw.chance(0.3) && { timeoutMs: draw.integer(1, 800) }),
    ...(draw.chance(0.05) && { cwd: draw.pick(["deep", "nowhere", "a.txt"]) })
  }),
  "http.request": (draw, { serverUrl }) => ({
    url: draw.pick([`${serverUrl}/props`, `${serverUrl}/no/page`, ...addresses]),
    ...(draw.chance(0.2) && { method: draw.pick(["POST", "HEAD", "BREW"]), body: "hello" })
  }),
  "skill.view": (draw) => ({ name: draw.pick(["good-skill", "?", "no-such", "../x"]) }),
  "skill.run_script": (draw) => ({
    skill: "good-skill",
    script: draw.pick(["hello.sh", "hello.sh", "slow.sh", "../../x", "undeclared.sh"]),
    args: draw.pick([[], ["a b", "$(id)"]])
  }),
  attach: (draw) => ({ paths: draw.pick([["a.txt"], ["nowhere.txt"], [], ["/etc/hostname", "a.txt"]]) }),
  finish: (draw) => ({ summary: draw.pick(["All is done.", "", "fertig\u2029"]) }),
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
