/** True for an error with a code of the operating system, as Node's file, process and network functions throw them. */
export const isSystemError = (error: unknown): error is NodeJS.ErrnoException & { readonly code: string } =>
  error instanceof Error && "code" in error && typeof error.code === "string" && "syscall" in error

/** The operating system's code of an error (`ENOENT`, `EACCES`, …); undefined for any other error. */
export const systemCode = (error: unknown): string | undefined => (isSystemError(error) ? error.code : undefined)
