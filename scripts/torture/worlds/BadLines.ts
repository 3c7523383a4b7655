import type { SeededRandom } from "../../../src/testing/SeededRandom.ts"

type Make = (random: SeededRandom) => string | Uint8Array

/** Lines that are no request; each must get one `error` event and nothing else. The LF is put behind them. */
export const badLines: { readonly [name: string]: Make } = {
  "no JSON": () => "{oops",
  "half a request": () => `{"kind":"request","id":"h","type":"ping"`,
  "two requests in a line": () => `{"kind":"request","id":"t","type":"ping"}{"kind":"request","id":"u","type":"ping"}`,
  null: () => "null",
  number: () => "-0",
  string: () => `"ping"`,
  array: () => `[{"kind":"request","id":"a","type":"ping"}]`,
  "another kind": () => `{"kind":"event","id":"k","type":"ping"}`,
  "kind is an object": () => `{"kind":{"request":1},"id":"k","type":"ping"}`,
  "id is a number": () => `{"kind":"request","id":1,"type":"ping"}`,
  "no id": () => `{"kind":"request","type":"ping"}`,
  "no type": () => `{"kind":"request","id":"n"}`,
  "type is null": () => `{"kind":"request","id":"n","type":null}`,
  "no UTF-8": (random) => Uint8Array.of(0x22, random.pick([0xff, 0xc0, 0x80, 0xf8]), 0x22),
  "half a character": () => Uint8Array.of(0x22, 0xe6, 0x97),
  "a surrogate as UTF-8": () => Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22),
  NUL: () => "\0",
  "a mark of byte order inside": () => `\uFEFF{"kind":"request","id":"b","type":"ping"}`,
  "bare CR between": () => `{"kind":"request",\r"id":1}`,
  "nested without end": (random) => "[".repeat(random.pick([1000, 200_000])),
  "nested and closed": () => `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
  "a long line": (random) => `"${"x".repeat(random.pick([4095, 9000, 70_000]))}`,
  "a long line of long characters": () => `{"x":"${"👩‍👧".repeat(9000)}`,
  "a prototype": () => `{"__proto__":{"kind":"request","id":"p","type":"ping"}}`
}

/** Lines that say nothing and get no answer. */
export const blankLines: { readonly [name: string]: Make } = {
  "no characters": () => "",
  blanks: (random) => " \t".repeat(random.integer(1, 40)),
  "CR only": () => "\r",
  "other blanks": () => "\u00a0\u3000\u2028"
}

/** Requests that a sidecar answers, one way or the other, and that no sane host writes. */
export const oddRequests: {
  readonly [name: string]: { readonly type: string; readonly line: (id: string, random: SeededRandom) => string }
} = {
  "unknown type": { type: "no_such_request", line: (id) => frame(id, `"no_such_request"`, `{}`) },
  "declared, not handled": { type: "run_step", line: (id) => frame(id, `"run_step"`, `{}`) },
  "type of a prototype": { type: "toString", line: (id) => frame(id, `"toString"`, `{}`) },
  "blank type": { type: "", line: (id) => frame(id, `""`, `{}`) },
  "long type": { type: "x".repeat(3000), line: (id) => frame(id, JSON.stringify("x".repeat(3000)), `{}`) },
  "payload is a number": { type: "send_message", line: (id) => frame(id, `"send_message"`, `7`) },
  "payload is an array": { type: "start_session", line: (id) => frame(id, `"start_session"`, `[]`) },
  "payload is missing": { type: "cancel", line: (id) => `{"kind":"request","id":"${id}","type":"cancel"}` },
  "text is a number": { type: "send_message", line: (id) => frame(id, `"send_message"`, `{"sessionId":"s","text":7}`) },
  "text is blank": {
    type: "send_message",
    line: (id) => frame(id, `"send_message"`, `{"sessionId":"s","text":"\\u2003\\n"}`)
  },
  "no steps": {
    type: "send_message",
    line: (id, random) => {
      const steps = random.pick(["0", "-1", "1.5", "1e400", '"3"', "[1]"])
      return frame(id, `"send_message"`, `{"sessionId":"s","text":"x","maxSteps":${steps}}`)
    }
  },
  "approved is a word": {
    type: "approval_response",
    line: (id) => frame(id, `"approval_response"`, `{"approvalId":"a","approved":"yes"}`)
  },
  "name climbs": { type: "skill_uninstall", line: (id) => frame(id, `"skill_uninstall"`, `{"name":"../../etc"}`) },
  "deep payload": {
    type: "start_session",
    line: (id) => {
      const deep = `${'{"a":'.repeat(900)}1${"}".repeat(900)}`
      return frame(id, `"start_session"`, `{"workingDir":"/nowhere/at/all","metadata":${deep}}`)
    }
  },
  "keys twice": {
    type: "ping",
    line: (id) => `{"type":"cancel","kind":"event","id":"x","kind":"request","id":"${id}","type":"ping","payload":{}}`
  },
  "keys of a prototype": {
    type: "ping",
    line: (id) => frame(id, `"ping"`, `{"__proto__":{"x":1},"constructor":{"prototype":{"y":1}}}`)
  },
  "CR before the end": { type: "ping", line: (id) => `${frame(id, `"ping"`, `null`)}\r` },
  "blanks around": { type: "ping", line: (id) => `  ${frame(id, `"ping"`, `null`)}\t` },
  "half a pair": {
    type: "steer_message",
    line: (id) => frame(id, `"steer_message"`, `{"sessionId":"\\ud800","text":"\\udc00"}`)
  }
}

const frame = (id: string, type: string, payload: string) =>
  `{"kind":"request","id":"${id}","type":${type},"payload":${payload}}`
