/** The server that the sidecar runs itself listens to this machine only. */
export const managedHost = "127.0.0.1"

/** Where that server is. */
export const managedUrl = (port: number): string => `http://${managedHost}:${port}`
