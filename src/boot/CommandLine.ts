/** `EX_USAGE`: the command line is wrong. */
const badUsage = 64

const help = `Usage: atomic-agent-sidecar

An agent on a local model, run as a child process. Reads requests from stdin and writes responses and events to
stdout, one JSON object a line, until stdin ends. It is configured by files and environment variables.

  --help      prints this text
  --version   prints the version
`

/**
 * Answers a command line: `--help` and `--version` on stdout, any other argument with one line on stderr and exit code
 * 64. Returns false if there are no arguments, which is how a host starts the sidecar.
 */
export const answerArguments = (args: ReadonlyArray<string>, version: () => string): boolean => {
  const [first, ...others] = args
  if (first === undefined) return false
  // A reader that has gone, or a full disk, is no reason for a stack trace.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
  if (others.length === 0 && first === "--help") {
    process.stdout.write(help)
    return true
  }
  if (others.length === 0 && first === "--version") {
    process.stdout.write(`${version()}\n`)
    return true
  }
  process.stderr.write(
    `atomic-agent-sidecar takes --help, --version or no argument, not ${JSON.stringify(args.join(" "))}\n`
  )
  process.exitCode = badUsage
  return true
}
