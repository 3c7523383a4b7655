import type { Entry } from "../../src/domain/Transcript.ts"
import { SessionId } from "../../src/protocol/Ids.ts"
import type { SessionHead } from "../../src/domain/Session.ts"

export const id = SessionId.make("s-2f2bb26a-35bc-4057-babd-ed5814e9e348")

/** A session's head with what the test cares about changed. */
export const head = (changes: Partial<SessionHead> = {}): SessionHead => ({
  id,
  workingDir: "/work",
  status: "pending",
  turnCount: 0,
  stepCount: 0,
  createdAt: 1_000,
  updatedAt: 1_000,
  lastError: null,
  metadata: {},
  latestResult: null,
  loadedSkills: [],
  contextUsage: null,
  ...changes
})

export const said = (text: string): Entry => ({ kind: "user", at: 1, turnId: "t-1", text })

/** One entry of each kind, with every optional key somewhere, and text that is awkward to store. */
export const oneOfEach: ReadonlyArray<Entry> = [
  { kind: "user", at: 1, turnId: "t-1", text: "日本語 👩‍👩‍👧 \u2028 \0 'quoted'", steered: true },
  {
    kind: "assistant_tool_call",
    at: 2,
    turnId: "t-1",
    callId: "c-1",
    tool: "fs.list",
    args: { path: "." },
    reasoning: "r"
  },
  { kind: "assistant_tool_call", at: 2, turnId: "t-1", callId: "c-2", tool: "fs.read", args: "{broken" },
  {
    kind: "tool_result",
    at: 3,
    turnId: "t-1",
    callId: "c-1",
    tool: "fs.list",
    status: "ok",
    summary: "a\nb",
    truncated: true,
    approval: { verdict: "approved", category: "fs_read_outside", at: 3 }
  },
  { kind: "notice", at: 4, turnId: "t-1", text: "no more tools" },
  {
    kind: "assistant_reply",
    at: 5,
    turnId: "t-1",
    text: "done",
    reasoning: "so",
    attachments: ["/a"],
    progressNote: true
  },
  { kind: "assistant_reply", at: 6, turnId: "t-1", text: "cut", interrupted: true }
]
