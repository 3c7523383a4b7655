import { assert, describe, it } from "@effect/vitest"
import { withoutPerson } from "../../src/process/Environment.ts"

const noEditor = "no-editor-set-"

describe("the environment of commands", () => {
  it("has these variables where the user has set none", () => {
    assert.deepStrictEqual(withoutPerson({ PATH: "/bin" }), {
      PATH: "/bin",
      EDITOR: `${noEditor}EDITOR`,
      VISUAL: `${noEditor}VISUAL`,
      GIT_EDITOR: `${noEditor}GIT_EDITOR`,
      GIT_SEQUENCE_EDITOR: `${noEditor}GIT_SEQUENCE_EDITOR`,
      PAGER: "cat",
      GIT_PAGER: "cat",
      MANPAGER: "cat",
      GIT_ASKPASS: "",
      SSH_ASKPASS: "",
      TERM: "dumb",
      GIT_TERMINAL_PROMPT: "0",
      GCM_INTERACTIVE: "never",
      SSH_ASKPASS_REQUIRE: "never",
      DEBIAN_FRONTEND: "noninteractive"
    })
  })

  const cases: ReadonlyArray<readonly [name: string, user: string, command: string]> = [
    ["EDITOR", "vim", `${noEditor}EDITOR`],
    ["Visual", "code --wait", `${noEditor}VISUAL`],
    ["KUBE_EDITOR", "nano", `${noEditor}KUBE_EDITOR`],
    ["SYSTEMD_EDITOR", "vim", `${noEditor}SYSTEMD_EDITOR`],
    ["HGEDITOR", "vim", `${noEditor}HGEDITOR`],
    ["SUDO_EDITOR", "vim", `${noEditor}SUDO_EDITOR`],
    ["PAGER", "less -R", "cat"],
    ["SYSTEMD_PAGER", "less", "cat"],
    ["AWS_PAGER", "less", "cat"],
    ["BAT_PAGER", "less", "cat"],
    ["GIT_ASKPASS", "/opt/app/askpass.sh", ""],
    ["SUDO_ASKPASS", "/usr/bin/ksshaskpass", ""],
    ["SSH_ASKPASS_REQUIRE", "prefer", "never"],
    ["DEBIAN_FRONTEND", "gnome", "noninteractive"],
    ["TERM", "xterm-256color", "dumb"],
    ["EDITOR_THEME", "dark", "dark"],
    ["VISUAL_STUDIO", "x", "x"],
    ["PAGERDUTY_TOKEN", "x", "x"],
    ["CI", "", ""],
    ["FORCE_COLOR", "1", "1"],
    ["GIT_SSH_COMMAND", "ssh -i key", "ssh -i key"],
    ["GIT_CONFIG_COUNT", "0", "0"],
    ["BROWSER", "firefox", "firefox"],
    ["DISPLAY", ":0", ":0"],
    ["SSH_AUTH_SOCK", "/run/agent", "/run/agent"]
  ]

  it.each(cases)("turns %s=%s into %s", (name, user, command) => {
    assert.strictEqual(withoutPerson({ [name]: user })[name], command)
  })
})
