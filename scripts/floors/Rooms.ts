/** One folder of `src`, and the rooms below it that its files may import beside their own. */
export interface Room {
  readonly name: string
  readonly mayImport: ReadonlyArray<string>
}

/**
 * The rooms of `src` from the ground up: each stands on a floor of its own, and imports only what its row names, all of
 * it further down. A folder within a room (`llama/answer`) belongs to that room. `Version.ts` is a room of one file, so
 * that a ping can name the release without the rest of the top floor.
 */
export const rooms: ReadonlyArray<Room> = [
  { name: "Version.ts", mayImport: [] },
  { name: "protocol", mayImport: [] },
  { name: "domain", mayImport: ["protocol"] },
  { name: "config", mayImport: ["protocol", "domain"] },
  { name: "shell", mayImport: ["domain"] },
  { name: "files", mayImport: ["domain"] },
  { name: "process", mayImport: ["domain", "files"] },
  { name: "http", mayImport: ["domain", "files"] },
  { name: "stdio", mayImport: ["protocol", "domain", "config"] },
  { name: "store", mayImport: ["protocol", "domain", "config", "process"] },
  { name: "skills", mayImport: ["protocol", "domain", "config", "files", "process"] },
  { name: "llama", mayImport: ["protocol", "domain", "config", "process", "http"] },
  {
    name: "tools",
    mayImport: ["protocol", "domain", "config", "shell", "files", "process", "http", "skills"]
  },
  {
    name: "session",
    mayImport: ["protocol", "domain", "config", "files", "stdio", "store", "skills", "llama", "tools"]
  },
  { name: "telemetry", mayImport: ["Version.ts", "protocol", "config", "session"] },
  {
    name: "router",
    mayImport: ["Version.ts", "protocol", "domain", "config", "files", "stdio", "skills", "llama", "session"]
  },
  { name: "boot", mayImport: ["Version.ts", "process"] },
  { name: "host", mayImport: ["protocol"] },
  {
    name: "top",
    mayImport: [
      "Version.ts",
      "protocol",
      "domain",
      "config",
      "files",
      "process",
      "stdio",
      "store",
      "skills",
      "llama",
      "tools",
      "session",
      "telemetry",
      "router",
      "boot",
      "host"
    ]
  },
  {
    name: "testing",
    mayImport: ["protocol", "config", "stdio", "llama", "session", "top"]
  }
]

/** The room of a file of `src`; files beside the rooms stand on the top floor. */
export const roomOf = (path: string): string => {
  const [first = "", ...rest] = path.replace(/^src\//, "").split("/")
  if (rest.length > 0) return first
  return first === "Version.ts" ? first : "top"
}
