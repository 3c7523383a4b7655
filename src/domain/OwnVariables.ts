/** The variables of OpenTelemetry with headers, which let in at a collector: for all of its signals, and for one each. */
export const isHeadersVariable = (name: string): boolean => /^OTEL_\w*HEADERS$/i.test(name)

/**
 * True for variables that nothing the sidecar runs may have: its own settings with the API key, the headers of telemetry, and
 * what makes an Electron a Node (see `OwnNode`), which would start every app that a command opens without its window.
 */
export const isOwnVariable = (name: string): boolean =>
  /^(?:ATOMIC_AGENT_.*|ELECTRON_RUN_AS_NODE)$/is.test(name) || isHeadersVariable(name)
