import { type Answer, chunk, refuse, say } from "../../src/testing/LlamaAnswers.ts"
import type { Player } from "./Player.ts"

/** One kind of session: what is played in it, by a host and a model, on the sidecar's own code. */
export interface History {
  readonly name: string
  play(player: Player): Promise<void>
}

const text = (words: string) => say({ text: words })
const list = { name: "fs.list", arguments: { path: "." } }
const read = (path: string) => ({ name: "fs.read", arguments: { path } })
const shell = (command: string) => ({ name: "shell.run", arguments: { command } })
/** Asks, each time: the same content written anew would change nothing, and ask nobody. */
const write = shell("touch new.txt")
const finish = { name: "finish", arguments: { summary: "All is done." } }
/** A call that is written as text: the model is told once how to call. */
const inText = text(`<tool_call>\n${JSON.stringify({ name: "fs_list", arguments: { path: "." } })}\n</tool_call>`)
const nothing = say({})
const calls = (...toolCalls: ReadonlyArray<{ name: string; arguments: unknown }>) => say({ toolCalls })

/** Words that begin and never end; no words at all. */
const hangs: Answer = { pieces: [chunk({ content: "I begin" })], ending: "hang" }
const silent: Answer = { pieces: [chunk({ role: "assistant", content: null })], ending: "hang" }
const cut: Answer = { pieces: [chunk({ content: "I begin" })], ending: "cut" }

/** The turn after: whatever was before, the session must go on. */
const goesOn = async (player: Player, ...before: ReadonlyArray<Answer>) => {
  player.model(...before, text("It goes on."))
  await player.send("And now?")
}

/** A history whose model says this to one message, and another message after it. */
const told = (name: string, answers: ReadonlyArray<Answer>, reason = "reply", maxSteps?: number): History => ({
  name,
  play: async (player) => {
    player.model(...answers)
    await player.send("Do it.", reason, maxSteps)
    await goesOn(player)
  }
})

/** A turn that is cancelled once `until` is over. */
const cancelled = (
  name: string,
  answers: ReadonlyArray<Answer>,
  until: (player: Player) => Promise<unknown>
): History => ({
  name,
  play: async (player) => {
    player.model(...answers)
    const turn = player.begin("Do it.")
    await until(player)
    await player.cancel()
    await turn.ends("cancelled")
    player.approving = "yes"
    player.relay.dropScript()
    await goesOn(player)
  }
})

const asked = async (player: Player) => {
  player.approving = "later"
  await player.asked()
}

const approved = async (player: Player) => {
  player.approving = "later"
  const answer = await player.asked()
  await answer(true)
}

/** Steers while the host is asked about a call, which then goes on. */
const steered = (
  name: string,
  steers: ReadonlyArray<string>,
  answers: ReadonlyArray<Answer>,
  maxSteps?: number
): History => ({
  name,
  play: async (player) => {
    player.approving = "later"
    player.model(...answers)
    const turn = player.begin("Do it.", maxSteps)
    const answer = await player.asked()
    for (const steer of steers) await player.steer(steer)
    player.approving = "yes"
    await answer(true)
    await turn.ends("reply")
    await goesOn(player)
  }
})

export const histories: ReadonlyArray<History> = [
  told("reply", [text("Hello.")]),
  told("one call", [calls(list), text("Two files.")]),
  told("calls of several steps", [calls(list), calls(read("a.txt")), calls(read("a.txt")), text("Read.")]),
  told("parallel calls", [calls(list, read("a.txt"), read("b.txt")), text("All read.")]),
  told("parallel calls twice", [calls(list, read("a.txt")), calls(read("b.txt"), list), text("All read.")]),
  told("text beside a call", [say({ text: "I look.", toolCalls: [list] }), text("Two files.")]),
  told("thoughts beside a call", [say({ reasoning: "I should look.", toolCalls: [list] }), text("Two files.")]),
  told("thoughts and text beside calls", [
    say({ reasoning: "I should look.", text: "I look.", toolCalls: [list, read("a.txt")] }),
    say({ reasoning: "Two.", text: "Two files." })
  ]),
  told("empty results", [calls(read("empty.txt"), shell("true")), text("Nothing there.")]),
  told("calls that fail", [calls(read("missing.txt")), calls(shell("exit 3")), text("It failed.")]),
  told("an unknown tool", [calls({ name: "weather.today!", arguments: {} }), text("There is none.")]),
  told("arguments that are no object", [calls({ name: "fs.list", arguments: '{"path": ' }), calls(list), text("So.")]),
  told("arguments cut off", [
    say({ toolCalls: [{ name: "fs.list", arguments: '{"pa' }], finish: "length" }),
    text("So.")
  ]),
  told("a call that is repaired", [calls({ name: "FS_List", arguments: "{'path': '.',}" }), text("Two files.")]),
  told("a call in text", [inText, calls(list), text("Two files.")]),
  told("a call in text after a call", [calls(list), inText, calls(read("a.txt")), text("Read.")]),
  told("a call in text, twice", [inText, inText]),
  told("a call in text before the last step", [inText, text("I cannot.")], "reply", 2),
  told("silence after a call", [calls(list), nothing, text("Two files.")]),
  told("silence after parallel calls", [calls(list, read("a.txt")), nothing, calls(list), text("Two files.")]),
  told("silence twice", [calls(list), nothing, nothing], "failed"),
  told("thoughts alone", [say({ reasoning: "Hm." }), text("Hello.")]),
  told("thoughts alone, then a call in text", [say({ reasoning: "Hm." }), inText, calls(list), text("So.")]),
  told("characters of all kinds", [calls(read("größe 🚀.txt")), text("é 🚀 \u2028 <|im_end|> </s> [INST] {{ x }}")]),
  told("attach", [calls({ name: "attach", arguments: { paths: ["a.txt"] } }), text("Here it is.")]),
  told("finish", [calls(list), calls(finish)], "finish"),
  told("finish beside a call", [say({ text: "I end.", toolCalls: [list, finish] })], "finish"),
  told("finish on the last step", [calls(list), calls(finish)], "finish", 2),
  told("a reply on the last step", [calls(list), text("That is all.")], "reply", 2),
  told("a last step that is the first", [text("That is all.")], "reply", 1),
  told("max_steps, with words", [calls(list), say({ text: "I would look.", toolCalls: [list] })], "max_steps", 2),
  told("max_steps, without words", [calls(list, read("a.txt")), calls(list)], "max_steps", 2),
  told("failed before a word", [refuse(500, "out of memory")], "failed"),
  told("failed after a call", [calls(list), refuse(500, "out of memory")], "failed"),
  told("failed after parallel calls", [calls(list, read("a.txt")), refuse(500, "out of memory")], "failed"),
  told("failed in the middle of words", [cut], "failed"),
  told("failed in the middle of words after a call", [calls(list), cut], "failed"),
  told("retry", [refuse(429, "busy"), calls(list), refuse(502, "gateway"), text("There.")]),
  told("overflow", [calls(list), refuse(400, "the request exceeds the available context size"), text("There.")]),
  {
    name: "failed twice in a row",
    play: async (player) => {
      player.model(refuse(500, "out of memory"), refuse(500, "out of memory"))
      await player.send("One.", "failed")
      await player.send("Two.", "failed")
      await goesOn(player)
    }
  },
  cancelled("cancelled before a word", [silent], (player) => player.relay.next()),
  cancelled("cancelled in the middle of words", [hangs], (player) => player.event("assistant_delta")),
  cancelled("cancelled before the tool", [calls(write)], asked),
  cancelled("cancelled between parallel calls", [calls(list, write, read("a.txt"))], asked),
  cancelled("cancelled while the tool runs", [calls(shell("sleep 20"))], approved),
  cancelled("cancelled after the tool", [calls(list), silent], async (player) => {
    await player.relay.next()
    await player.relay.next()
  }),
  cancelled("cancelled in words after the tool", [calls(list), hangs], (player) => player.event("assistant_delta")),
  steered("a steer after a tool", ["Be quick."], [calls(write), text("Quick.")]),
  steered(
    "two steers after parallel calls",
    ["Be quick.", "And kind."],
    [calls(list, write), calls(list), text("So.")]
  ),
  steered("a steer beside silence", ["Be quick."], [calls(write), nothing, text("Quick.")]),
  steered("a steer on the last step", ["Be quick."], [calls(write), text("Quick.")], 2),
  {
    name: "a steer that overtakes the reply",
    play: async (player) => {
      player.model(
        { pieces: [chunk({ content: "First." }), 150, chunk({}, "stop"), "data: [DONE]\n\n"] },
        text("Second.")
      )
      const delta = player.event("assistant_delta")
      const turn = player.begin("Do it.")
      await delta
      await player.steer("Wait.")
      await turn.ends("reply")
      await goesOn(player)
    }
  },
  {
    name: "denied",
    play: async (player) => {
      player.approving = "no"
      player.model(calls(write), text("Not then."))
      await player.send("Write it.")
      player.approving = "later"
      player.model(calls(list, write), text("Not then."))
      const turn = player.begin("Write it.")
      const answer = await player.asked()
      await answer(false, "Not there.")
      await turn.ends("reply")
      player.approving = "yes"
      await goesOn(player)
    }
  },
  {
    name: "a notice of skills",
    play: async (player) => {
      player.model(calls(list), text("One."))
      await player.send("One.")
      await player.request("skill_install", { sourcePath: player.skill })
      player.model(text("Two."))
      await player.send("Two.")
      await player.request("skill_uninstall", { name: "a-skill" })
      player.model(calls(list), refuse(500, "out of memory"))
      await player.send("Three.", "failed")
      await player.request("skill_install", { sourcePath: player.skill })
      await goesOn(player)
      await player.request("skill_uninstall", { name: "a-skill" })
    }
  },
  {
    name: "many turns",
    play: async (player) => {
      for (let turn = 0; turn < 8; turn += 1) {
        player.model(...(turn % 2 === 0 ? [calls(list)] : []), ...(turn % 3 === 0 ? [calls(list, read("a.txt"))] : []))
        player.model(say({ ...(turn % 4 === 0 ? { reasoning: "Hm." } : {}), text: `Answer ${turn}.` }))
        await player.send(`Question ${turn}.`)
      }
    }
  },
  {
    name: "a trimmed history",
    play: async (player) => {
      for (let turn = 0; turn < 5; turn += 1) {
        player.model(calls(list, read("long.txt")), text(`Answer ${turn}. ${"word ".repeat(400)}`))
        await player.send(`Question ${turn}. ${"word ".repeat(turn === 0 ? 9000 : 400)}`)
        player.model(calls(read("long.txt")), refuse(400, "the request exceeds the available context size"))
        await player.send(`More ${turn}.`)
      }
    }
  },
  {
    name: "resumed after a kill",
    play: async (player) => {
      player.model(calls(list, read("a.txt")), calls(shell("sleep 20"), list))
      player.begin("Do it.")
      await approved(player)
      await player.restart()
      player.relay.dropScript()
      await goesOn(player, calls(list, read("a.txt")))
    }
  }
]
