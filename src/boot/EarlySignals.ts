/**
 * Exits 0 on SIGTERM, SIGINT or SIGHUP received before `Lifeline` installs its handlers (contract 10). Once another
 * listener exists, it takes over.
 */
export const exitOnEarlySignals = (): void => {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit()
    })
  }
}
