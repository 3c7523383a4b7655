import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Browser, findChromium } from "./Browser.ts"
import { startInspector } from "./Inspector.ts"
import type { Script } from "../../src/llama/scripted/Script.ts"

const bin = Path.resolve(import.meta.dirname, "../../dist/sidecar/main.js")
const chromium = findChromium(process.env)
const size = { width: 1100, height: 800 }

const evil = `<img src="x" onerror="document.title='taken'"><script>document.title='taken'</script>`
const write = { name: "fs.write", arguments: { path: "it.txt", content: "hello\n" } }
const script: Script = {
  turns: [
    {
      when: { userTextIncludes: "write" },
      steps: [{ text: "So I do.", toolCalls: [write] }, { text: "That was it." }]
    },
    { when: { userTextIncludes: "wait" }, steps: [{ text: "Once upon a time", hang: true }] },
    { when: { userTextIncludes: "evil" }, steps: [{ reasoning: evil, text: evil }] }
  ]
}

/** The page in a browser, of a conversation with the bin. */
const openPage = async () => {
  const dir = Fs.mkdtempDisposableSync(Path.join(Os.tmpdir(), "inspector-"))
  const file = (name: string) => Path.join(dir.path, name)
  Fs.writeFileSync(file("script.json"), JSON.stringify(script))
  const live = { mode: "live", workingDir: dir.path, script: file("script.json"), url: undefined, port: 0 } as const
  const inspector = await startInspector({ ...live, record: file("talk.ndjson") }, bin, process.env)
  const browser = await Browser.open(String(chromium), inspector.url, size)
  return {
    browser,
    file,
    close: inspector.close,
    say: async (text: string) => {
      await browser.until(`!document.getElementById("message").disabled`)
      await browser.evaluate(`document.getElementById("message").focus()`)
      await browser.type(text)
      await browser.press("Enter")
    },
    shows: (selector: string, text: string) =>
      browser.until(
        `[...document.querySelectorAll(${JSON.stringify(selector)})].some((each) => each.innerText.includes(${JSON.stringify(text)}))`
      ),
    click: (selector: string) => browser.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`),
    [Symbol.asyncDispose]: async () => {
      await browser[Symbol.asyncDispose]()
      await inspector.close()
      dir.remove()
    }
  }
}

describe("the inspector's page", () => {
  const inBrowser = (name: string, test: () => Promise<void>) =>
    it(name, async ({ skip }) => {
      if (chromium === undefined) skip("no Chromium on the PATH, nor named by CHROMIUM: the page was not tried")
      await test()
    })

  inBrowser("sends, steers, and answers a question with no and why, by keyboard alone", async () => {
    await using page = await openPage()
    const { browser } = page
    // The page is ready to be written to, without a click.
    await browser.until(`document.activeElement.id === "message"`)
    await page.say("write it")
    await page.shows(".approval.open", "Asks for fs_write_workspace")
    await page.shows(".approval.open .added", "+hello")
    await page.shows("#state", "asks for approval")
    await browser.type("in blue")
    await browser.press("Enter", { ctrl: true })
    await page.shows(".row.steer.accepted", "in blue")

    await browser.evaluate(`document.querySelector(".approval input").focus()`)
    await browser.type("not that file")
    await browser.press("Enter")
    await page.shows(".approval.denied", "Denied: not that file")
    await page.shows(".row.reply", "That was it.")
    await page.shows(".row.steer.applied", "in blue")
    await page.shows(".row.call.error", "not that file")
    await page.shows("#state", "ready")
    assert.isFalse(Fs.existsSync(page.file("it.txt")))
    assert.deepStrictEqual(browser.complaints, [])
  })

  inBrowser("allows by a click, and shows the frames behind what is clicked", async () => {
    await using page = await openPage()
    const { browser } = page
    await page.say("write it")
    await page.shows(".approval.open", "Asks for")
    await page.click(".approval .primary")
    await page.shows(".approval.approved", "Allowed")
    await page.shows(".turn.reply .facts", "reply · 2 steps")
    assert.strictEqual(Fs.readFileSync(page.file("it.txt"), "utf8"), "hello\n")
    // Streamed and told whole, and shown once.
    const pageText = await browser.evaluate<string>(`document.getElementById("timeline").innerText`)
    assert.lengthOf(pageText.match(/So I do\./g) ?? [], 1)

    await browser.evaluate(`document.querySelector(".row.step .head").focus()`)
    for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await browser.press(key)
    await page.shows("#frames-title", "fs.write: ")
    await page.shows("#frames .frame", `"approvalId"`)
    const types = await browser.evaluate(
      `[...document.querySelectorAll(".frame strong")].map((each) => each.innerText)`
    )
    assert.sameMembers(types as Array<string>, [
      "tool_call_started",
      "approval_request",
      "approval_response",
      "approval_resolved",
      "response",
      "tool_call_result"
    ])
    await browser.press("Escape")
    assert.isTrue(await browser.evaluate(`document.getElementById("frames").hidden`))
    assert.strictEqual(await browser.evaluate(`document.activeElement.innerText.slice(0, 8)`), "fs.write")
    assert.deepStrictEqual(browser.complaints, [])
  })

  inBrowser("shows text as it streams and messages as they wait, and cancels them all", async () => {
    await using page = await openPage()
    await page.say("wait for me")
    await page.shows(".turn.running .row.text", "Once upon a time")
    await page.say("and then?")
    await page.shows("#waiting", "Waits: and then?")
    await page.browser.press("Escape")
    await page.shows(".turn.cancelled .facts", "cancelled")
    await page.shows(".line.request", "send_message")
    await page.shows("#state", "ready")
    assert.strictEqual(await page.browser.evaluate(`document.getElementById("waiting").innerText`), "")
    assert.isTrue(await page.browser.evaluate(`document.getElementById("cancel").disabled`))
  })

  inBrowser("takes what a model says for text, whatever it says", async () => {
    await using page = await openPage()
    await page.say("evil")
    await page.shows(".row.reply", evil)
    await page.shows(".row.thinking", evil)
    assert.strictEqual(await page.browser.evaluate(`document.querySelectorAll("img, main script").length`), 0)
    assert.strictEqual(await page.browser.evaluate("document.title"), "Sidecar inspector")
    assert.deepStrictEqual(page.browser.complaints, [])
  })

  inBrowser("shows the same conversation from its recording, in light and dark, with nothing to press", async () => {
    await using page = await openPage()
    const { browser } = page
    const shown = `[...document.querySelectorAll(".turn, .line")].map((each) => each.innerText)`
    await page.say("write it")
    await page.shows(".approval.open", "Asks for")
    await page.click(".approval .primary")
    await page.shows("#state", "ready")
    const live = await browser.evaluate(shown)
    await page.close()
    await page.shows("#state", "ended")

    const recorded = await startInspector({ mode: "recorded", file: page.file("talk.ndjson"), port: 0 }, bin, {})
    try {
      await browser.load(recorded.url)
      await page.shows(".turn.reply .facts", "reply · 2 steps")
      assert.deepStrictEqual(await browser.evaluate(shown), live)
      assert.isTrue(await browser.evaluate(`document.getElementById("composer").hidden`))
      const back = `getComputedStyle(document.body).backgroundColor`
      const light = await browser.evaluate(back)
      await browser.showAs("dark")
      assert.notStrictEqual(await browser.evaluate(back), light)
    } finally {
      await recorded.close()
    }
  })
})
