/** True for an error that carries the operating system's code, as node's file, process and network calls throw them. */
export const isSystemError = (error: unknown): error is NodeJS.ErrnoException & { readonly code: string } =>
  error instanceof Error && "code" in error && typeof error.code === "string" && "syscall" in error

/** The operating system's code of an error (`ENOENT`, `EACCES`, …); undefined for any other error. */
export const systemCode = (error: unknown): string | undefined => (isSystemError(error) ? error.code : undefined)
