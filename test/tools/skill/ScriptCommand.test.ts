import { assert, describe, it } from "@effect/vitest"
import { scriptCommand } from "../../../src/tools/skill/ScriptCommand.ts"

describe("how a script is run", () => {
  const node = ["/apps/sidecar", "--run-script"]

  it.each<[string, string, boolean, boolean, ReadonlyArray<string> | undefined]>([
    ["linux", "/s/run", true, true, ["/s/run"]],
    ["linux", "/s/run", true, false, ["/s/run"]],
    ["linux", "/s/run", false, true, undefined],
    ["linux", "/s/run.txt", false, false, undefined],
    ["linux", "/s/run.py", true, true, ["/s/run.py"]],
    ["linux", "/s/run.py", false, true, ["python3", "/s/run.py"]],
    ["linux", "/s/run.py", true, false, ["python3", "/s/run.py"]],
    ["darwin", "/s/run.sh", false, false, ["/bin/sh", "/s/run.sh"]],
    ["linux", "/s/run.mjs", false, false, [...node, "/s/run.mjs"]],
    ["linux", "/s/constructor", false, false, undefined],
    ["linux", "/s/x.constructor", false, false, undefined],
    ["win32", "C:\\s\\run.exe", false, false, ["C:\\s\\run.exe"]],
    ["win32", "C:\\s\\run.JS", true, true, [...node, "C:\\s\\run.JS"]],
    ["win32", "C:\\s\\run.bat", true, false, undefined],
    ["win32", "C:\\s\\run.sh", true, true, undefined]
  ])("on %s: %s, executable %s, with #! %s", (platform, path, isExecutable, hasShebang, command) => {
    assert.deepStrictEqual(
      scriptCommand(path, { platform: platform as NodeJS.Platform, isExecutable, hasShebang, node }),
      command
    )
  })
})
