import * as Fs from "node:fs"
import * as Path from "node:path"

export interface Found {
  readonly command: string
  readonly model: string
  /** The folder of chat templates. */
  readonly templates: string
}

const beside = Path.resolve(import.meta.dirname, "../../../llama-server")

/**
 * The server, its model and the templates: as the options say, else as `LLAMA_SERVER` does, else from the folder
 * `llama-server` beside the checkout. A model is the only `.gguf` beside the server, the templates are in `templates` there.
 * A text says what is missing.
 */
export const find = (options: {
  readonly server?: string
  readonly model?: string
  readonly templates?: string
}): Found | string => {
  const command = options.server ?? process.env["LLAMA_SERVER"] ?? Path.join(beside, "llama-server")
  if (!Fs.existsSync(command)) return `no llama-server at ${command}: name one with --server or LLAMA_SERVER`
  const folder = Path.dirname(command)
  const models = Fs.readdirSync(folder).filter((name) => name.endsWith(".gguf"))
  const model = options.model ?? (models.length === 1 ? Path.join(folder, models[0]!) : undefined)
  if (model === undefined || !Fs.existsSync(model)) return `no model for ${command}: name one with --model`
  const templates = options.templates ?? Path.join(folder, "templates")
  if (!Fs.existsSync(templates)) return `no chat templates at ${templates}: name a folder with --templates`
  return { command, model, templates }
}
