/** The address that a managed llama-server listens on: only processes of this machine can connect to it. */
export const managedHost = "127.0.0.1"

/** The base URL of a managed llama-server. */
export const managedUrl = (port: number): string => `http://${managedHost}:${port}`
