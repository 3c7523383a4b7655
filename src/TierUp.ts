/** V8 optimizes what has run this often, and waits for so much more where it has met something new. */
interface Patience {
  readonly runs: number
  readonly runsAfterNews: number
}

/** What V8 starts with: right for what runs the same all day. */
const ofV8: Patience = { runs: 400, runsAfterNews: 500 }

/**
 * A turn runs much code a few times. So it is optimized within the first dozens of turns instead of the first thousand, and a
 * turn takes about a fifth less processor time.
 */
const ours: Patience = { runs: 50, runsAfterNews: 50 }

/** The versions of Node that were looked at: another V8 might complain on stderr that it has no such flags. */
const known = { oldest: 24, newest: 26 }

/** When the start is over, in milliseconds: what is optimized during it makes it longer, and loading `node:v8` takes two. */
const afterMs = 60

let isSet = false

/** Lets V8 optimize early, soon. */
export const tierUpEarly = (): void => {
  const major = Number(process.versions.node.split(".")[0])
  if (major < known.oldest || major > known.newest) return
  const start = () => {
    isSet = true
    set(ours)
  }
  setTimeout(start, afterMs).unref()
}

/** Runs something with V8 as it was at the start: a code cache fits only an engine with the flags that it was made with. */
export const asAtTheStart = <A>(run: () => A): A => {
  if (!isSet) return run()
  set(ofV8)
  try {
    return run()
  } finally {
    set(ours)
  }
}

const set = ({ runs, runsAfterNews }: Patience): void => {
  const v8 = process.getBuiltinModule("node:v8")
  v8.setFlagsFromString(`--invocation-count-for-maglev=${runs}`)
  v8.setFlagsFromString(`--minimum-invocations-after-ic-update=${runsAfterNews}`)
}
