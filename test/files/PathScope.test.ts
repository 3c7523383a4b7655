import { assert, describe, it } from "@effect/vitest"
import { type Places, readScope, type Scope, writeScope } from "../../src/files/PathScope.ts"

const linux: Places = {
  platform: "linux",
  workingDir: "/home/ada/project",
  home: "/home/ada",
  trustFiles: ["/home/ada/.atomic-agent/config.json", "/home/ada/.atomic-agent/.env"],
  trustFolders: ["/home/ada/.atomic-agent/skills", "/home/ada/project/.atomic-agent/skills"],
  readable: ["/home/ada/.atomic-agent/skills"]
}

const mac: Places = {
  ...linux,
  platform: "darwin",
  workingDir: "/Users/ada/Project",
  home: "/Users/ada",
  trustFiles: ["/Users/ada/.atomic-agent/config.json", "/Users/ada/.atomic-agent/.env"],
  trustFolders: ["/Users/ada/.atomic-agent/skills", "/Users/ada/Project/.atomic-agent/skills"],
  readable: ["/Users/ada/.atomic-agent/skills"]
}

const windows: Places = {
  platform: "win32",
  workingDir: "C:\\Users\\Ada\\project",
  home: "C:\\Users\\Ada",
  trustFiles: ["C:\\Users\\Ada\\.atomic-agent\\config.json", "C:\\Users\\Ada\\.atomic-agent\\.env"],
  trustFolders: ["C:\\Users\\Ada\\.atomic-agent\\skills", "C:\\Users\\Ada\\project\\.atomic-agent\\skills"],
  readable: ["C:\\Users\\Ada\\.atomic-agent\\skills"]
}

type Row = readonly [places: Places, path: string, write: Scope, read: Scope]

const rows: ReadonlyArray<Row> = [
  [linux, "/home/ada/project/a", "inside", "inside"],
  [linux, "/home/ada/project", "home", "inside"],
  [linux, "/home/ada/project2/a", "home", "home"],
  [linux, "/home/ada/project.bak", "home", "home"],
  [linux, "/home/ada", "outside", "outside"],
  [linux, "/home/adam/x", "outside", "outside"],
  [linux, "/home", "outside", "outside"],
  [linux, "/", "outside", "outside"],
  [linux, "/etc/passwd", "outside", "outside"],
  [linux, "/home/ada/.atomic-agent/config.json", "trust", "trust"],
  [linux, "/home/ada/.atomic-agent/CONFIG.JSON", "trust", "trust"],
  [linux, "/home/ada/.atomic-agent/.env", "trust", "trust"],
  [linux, "/home/ada/.atomic-agent/.env.local", "home", "home"],
  [linux, "/home/ada/.atomic-agent/sidecar.sqlite", "home", "home"],
  [linux, "/home/ada/.atomic-agent/skills", "trust", "inside"],
  [linux, "/home/ada/.atomic-agent/skills/x/SKILL.md", "trust", "inside"],
  [linux, "/home/ada/.atomic-agent/Skills/x/SKILL.md", "trust", "home"],
  [linux, "/home/ada/project/.atomic-agent/skills/x/SKILL.md", "trust", "inside"],
  [linux, "/home/ada/project/.atomic-agent/notes.md", "inside", "inside"],
  [linux, "/home/ada/Project/a", "home", "home"],
  [mac, "/Users/ada/Project/a", "inside", "inside"],
  [mac, "/Users/ada/project/a", "home", "home"],
  [mac, "/Users/ada/.ATOMIC-agent/Config.json", "trust", "trust"],
  [mac, "/Users/ada/Project/.atomic-agent/SKILLS/x", "trust", "inside"],
  [windows, "C:\\Users\\Ada\\project\\a.txt", "inside", "inside"],
  [windows, "c:\\users\\ADA\\Project\\a.txt", "inside", "inside"],
  [windows, "C:/Users/Ada/project/a.txt", "inside", "inside"],
  [windows, "D:\\Users\\Ada\\project\\a.txt", "outside", "outside"],
  [windows, "C:\\Users\\Ada\\project2\\a.txt", "home", "home"],
  [windows, "C:\\Users\\Adam\\a.txt", "outside", "outside"],
  [windows, "C:\\", "outside", "outside"],
  [windows, "\\\\server\\share\\a.txt", "outside", "outside"],
  [windows, "\\\\?\\C:\\Users\\Ada\\project\\a.txt", "inside", "inside"],
  [windows, "\\\\.\\C:\\Users\\Ada\\project\\a.txt", "inside", "inside"],
  [windows, "\\\\?\\UNC\\server\\share\\a.txt", "outside", "outside"],
  [windows, "\\\\.\\PhysicalDrive0", "outside", "outside"],
  [windows, "\\\\?\\GLOBALROOT\\Device\\x", "outside", "outside"],
  [windows, "C:\\Users\\Ada\\project\\nul", "outside", "outside"],
  [windows, "C:\\Users\\Ada\\project\\NUL.txt", "outside", "outside"],
  [windows, "C:\\Users\\Ada\\project\\com1", "outside", "outside"],
  [windows, "C:\\Users\\Ada\\project\\console.ts", "inside", "inside"],
  [windows, "C:\\Users\\Ada\\project\\a.txt:stream", "outside", "outside"],
  [windows, "C:\\Users\\Ada\\project\\a.txt.", "outside", "outside"],
  [windows, "C:\\Users\\Ada\\project\\a.txt ", "outside", "outside"],
  [windows, "C:\\Users\\Ada\\.atomic-agent\\CONFIG.json", "trust", "trust"],
  [windows, "C:\\Users\\Ada\\.atomic-agent\\config.json::$DATA", "trust", "trust"],
  [windows, "C:\\Users\\Ada\\.atomic-agent\\config.json. .", "trust", "trust"],
  [windows, "C:\\Users\\Ada\\.atomic-agent.\\.env", "trust", "trust"],
  [windows, "\\\\?\\C:\\Users\\Ada\\.atomic-agent\\skills\\x", "trust", "inside"],
  [windows, "C:\\Users\\Ada\\project\\.atomic-agent\\Skills\\x\\SKILL.md", "trust", "inside"]
]

describe("where a real path lies", () => {
  it.each(rows.map(([places, ...row]) => [places.platform, ...row, places] as const))(
    "on %s, %s is %s to write and %s to read",
    (_, path, write, read, places) => {
      assert.strictEqual(writeScope(path, places), write)
      assert.strictEqual(readScope(path, places), read)
    }
  )

  it("is a share's where the working directory is on one", () => {
    const places = { ...windows, workingDir: "\\\\server\\share\\project" }
    assert.strictEqual(writeScope("\\\\Server\\Share\\project\\a", places), "inside")
    assert.strictEqual(writeScope("\\\\server\\share\\project2\\a", places), "outside")
    assert.strictEqual(writeScope("\\\\server\\other\\project\\a", places), "outside")
  })

  it("is everything's below where the working directory is the root", () => {
    assert.strictEqual(writeScope("/etc/passwd", { ...linux, workingDir: "/" }), "inside")
    assert.strictEqual(writeScope("/", { ...linux, workingDir: "/" }), "outside")
    assert.strictEqual(writeScope("C:\\x", { ...windows, workingDir: "C:\\" }), "inside")
    assert.strictEqual(writeScope("D:\\x", { ...windows, workingDir: "C:\\" }), "outside")
  })

  it("is never inside for the sidecar's own settings, nor for what Linux shows of processes", () => {
    const at = (workingDir: string, places = linux) => ({ ...places, workingDir })
    for (const workingDir of ["/", "/home/ada", "/home/ada/.atomic-agent", "/home/ada/.atomic-agent/.env"]) {
      assert.strictEqual(readScope("/home/ada/.atomic-agent/.env", at(workingDir)), "trust")
      assert.strictEqual(readScope("/home/ada/.atomic-agent/Config.json", at(workingDir)), "trust")
    }
    assert.strictEqual(readScope("/home/ada/.atomic-agent/other", at("/home/ada/.atomic-agent")), "inside")
    for (const workingDir of ["/", "/proc", "/proc/1"]) {
      assert.strictEqual(readScope("/proc/1/environ", at(workingDir)), "outside")
    }
    assert.strictEqual(readScope("/process/1", at("/")), "inside")
    assert.strictEqual(readScope("/proc/1", at("/", mac)), "inside")
  })

  it("is never home where there is none", () => {
    assert.strictEqual(writeScope("/home/ada/x", { ...linux, home: undefined }), "outside")
  })
})
