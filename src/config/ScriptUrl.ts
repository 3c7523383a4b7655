/** Where a scripted model is: its file, in place of the URL of a server. */
export const scriptUrl = (path: string | undefined): string => `script:${path ?? "built-in"}`
