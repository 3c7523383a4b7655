/** The variables of OpenTelemetry with headers, which let in at a collector: for all of its signals, and for one each. */
export const isHeadersVariable = (name: string): boolean => /^OTEL_\w*HEADERS$/i.test(name)

/** True for variables that nothing the sidecar runs may have: its own settings, and the headers of telemetry. */
export const isOwnVariable = (name: string): boolean => /^ATOMIC_AGENT_/i.test(name) || isHeadersVariable(name)
