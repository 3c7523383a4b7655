import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Config } from "../../src/config/Config.ts"
import * as SkillFolders from "../../src/skills/SkillFolders.ts"
import { SkillRegistry } from "../../src/skills/SkillRegistry.ts"

/** The text of a good `SKILL.md`. */
export const skillText = (name: string, ...more: ReadonlyArray<string>) =>
  ["---", `name: ${name}`, `description: Does ${name}.`, ...more, "---", "", `# ${name}`, ""].join("\n")

/** A place for a state directory, a project, and what is to be installed; gone with the test. */
export interface Place {
  readonly root: string
  readonly stateDir: string
  readonly project: string
  readonly global: string
  /** Writes files below the root, with their folders; a key that ends with `/` is a folder. */
  plant(files: { readonly [path: string]: string | Uint8Array }): void
  /** Everything in a folder, by its path from the root. */
  tree(path: string): ReadonlyArray<string>
  registry(config?: Parameters<typeof Config.layerOf>[0]): Layer.Layer<SkillRegistry>
}

export const place = Effect.acquireRelease(
  Effect.sync((): Place => {
    const root = Fs.realpathSync(Fs.mkdtempSync(Path.join(tmpdir(), "skills-")))
    const stateDir = Path.join(root, "state")
    Fs.mkdirSync(Path.join(root, "project"))
    return {
      root,
      stateDir,
      project: Path.join(root, "project"),
      global: Path.join(stateDir, "skills"),
      plant: (files) => {
        for (const [name, content] of Object.entries(files)) {
          const path = Path.join(root, name)
          Fs.mkdirSync(name.endsWith("/") ? path : Path.dirname(path), { recursive: true })
          if (!name.endsWith("/")) Fs.writeFileSync(path, content)
        }
      },
      tree: (path) =>
        Fs.existsSync(Path.join(root, path))
          ? Fs.readdirSync(Path.join(root, path), { recursive: true, encoding: "utf8" }).toSorted()
          : [],
      // Fresh: two registries stand for two processes.
      registry: (config) => Layer.fresh(SkillFolders.layer).pipe(Layer.provide(Config.layerOf({ stateDir, ...config })))
    }
  }),
  ({ root }) => Effect.sync(() => Fs.rmSync(root, { recursive: true, force: true }))
)

/** What a test does with a registry over a place. */
export const using = <A, E>(
  { registry }: Place,
  use: (skills: SkillRegistry["Service"]) => Effect.Effect<A, E>,
  config?: Parameters<typeof Config.layerOf>[0]
): Effect.Effect<A, E> => Effect.flatMap(SkillRegistry, use).pipe(Effect.provide(registry(config)))

/** The message of a refusal. */
export const refusalOf = <A, E extends { readonly message: string }>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(effect), (error) => error.message)
