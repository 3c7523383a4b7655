import { assert, describe, it } from "@effect/vitest"
import { nearestTo, toolNamed } from "../../src/tools/ToolNames.ts"

const offered = ["fs.list", "fs.read", "fs.write", "fs.edit", "shell.run", "skill.run_script", "finish"]

describe("ToolNames", () => {
  it.each<readonly [string, string | undefined]>([
    ["fs.read", "fs.read"],
    ["fs_read", "fs.read"],
    ["FS_READ", "fs.read"],
    ["fs-read", "fs.read"],
    ["fsRead", "fs.read"],
    [" fs_read\n", "fs.read"],
    ["functions.fs_read", "fs.read"],
    ["functions.fs_read:0", "fs.read"],
    ["function.FsRead:12", "fs.read"],
    ["fs_read<|channel|>commentary", "fs.read"],
    ["functions.finish<|constrain|>json", "finish"],
    ["fs_read<｜tool▁sep｜>", "fs.read"],
    ["skill_run_script", "skill.run_script"],
    ["skill.run.script", "skill.run_script"],
    ["", undefined],
    ["_", undefined],
    [":0", undefined],
    ["functions.", undefined],
    ["<|channel|>", undefined],
    ["read", undefined],
    ["fs_readx", undefined],
    ["fs_read_write", undefined],
    ["bash", undefined]
  ])("%j is %j", (name, tool) => {
    assert.strictEqual(toolNamed(name, offered), tool)
  })

  it("prefers what is named to the letter, and does not choose between two that are alike", () => {
    const tools = ["fs.read", "FS.read", "functions.go", "go", "a:0", "a"]
    assert.strictEqual(toolNamed("fs_read", tools), "fs.read")
    assert.strictEqual(toolNamed("FS_read", tools), "FS.read")
    assert.isUndefined(toolNamed("Fs_Read", tools))
    assert.strictEqual(toolNamed("functions.go", tools), "functions.go")
    assert.strictEqual(toolNamed("a:0", tools), "a:0")
    assert.strictEqual(toolNamed("a:1", tools), "a")
  })

  it.each([
    ["read_file", "fs.read"],
    ["fs_reed", "fs.read"],
    ["fs.wrte", "fs.write"],
    ["run_shell_command", "shell.run"],
    ["run_skill", "skill.run_script"],
    ["", "fs.list"]
  ])("the nearest to %j is %j, and all others follow", (name, nearest) => {
    const names = nearestTo(name, offered)
    assert.strictEqual(names[0], nearest)
    assert.sameMembers([...names], offered)
  })

  it("tells twelve names of many", () => {
    const many = Array.from({ length: 40 }, (_, at) => `other.${at}`)
    assert.deepStrictEqual(nearestTo("read", [...many, "fs.read"]).slice(0, 1), ["fs.read"])
    assert.lengthOf(nearestTo("read", many), 12)
  })
})
