/**
 * A signal that comes before anyone else hears signals ends a process that has done nothing yet, as it ends one that has
 * (contract 10). Afterwards whoever hears it too decides.
 */
export const hearEarlySignals = (): void => {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit()
    })
  }
}
