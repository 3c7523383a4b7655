import type * as ToolConformance from "./ToolConformance.ts"

/** One call or more of each built-in tool, in the world of the conformance check; `url` is a server that answers. */
export const cases = (url: string): ToolConformance.ToolConformanceOptions["cases"] => ({
  "fs.list": [{ args: { path: "dir" }, paths: { path: "reads" } }],
  "fs.read": [{ args: { path: "old.txt" }, paths: { path: "reads" } }],
  "fs.write": [
    { args: { path: "old.txt", content: "new text\n" }, paths: { path: "writes" } },
    { args: { path: "new.txt", content: "new text\n" }, paths: { path: "writes" } }
  ],
  "fs.edit": [{ args: { path: "old.txt", oldText: "old text", newText: "new text" }, paths: { path: "writes" } }],
  "fs.glob": [{ args: { pattern: "*.txt", path: "dir" }, paths: { path: "reads" } }],
  "fs.grep": [
    { args: { pattern: "t", path: "dir" }, paths: { path: "reads" } },
    { args: { pattern: "t", path: "old.txt" }, paths: { path: "reads" } }
  ],
  "shell.run": [
    { args: { command: "touch made", cwd: "dir" }, paths: { cwd: "runs in" }, acts: ["shell"] },
    { args: { command: "cat old.txt" } },
    { args: { command: "env; cat old.txt" }, acts: ["shell"] }
  ],
  "http.request": [{ args: { url }, acts: ["http"] }],
  "skill.view": [{ args: { name: "demo" } }],
  "skill.run_script": [
    {
      args: { skill: "demo", script: "print.sh", args: ["a"] },
      acts: ["script"],
      watches: [".atomic-agent/skills/demo/scripts/print.sh"]
    }
  ],
  attach: [{ args: { paths: ["old.txt", "dir/in.txt"] }, paths: { paths: "reads" } }],
  finish: [{ args: { summary: "It is done." } }]
})
