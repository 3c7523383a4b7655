import * as Fs from "node:fs"
import * as Path from "node:path"
import * as ts from "typescript"

/** What the compiler says of a program: its errors, one line each, and the files that it read. */
export interface Checked {
  readonly errors: ReadonlyArray<string>
  readonly files: ReadonlyArray<string>
}

const strict = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  target: "es2022",
  module: "nodenext",
  types: ["node"]
}

/** Checks a file with the strictest settings, and with `options` as a tsconfig.json has them. */
export const checkTypes = (file: string, options: Readonly<Record<string, unknown>> = {}): Checked => {
  const folder = Path.dirname(file)
  const config = ts.convertCompilerOptionsFromJson({ ...strict, ...options }, folder)
  const program = ts.createProgram([file], config.options)
  const errors = [...config.errors, ...ts.getPreEmitDiagnostics(program)].map((each) => {
    const where = each.file === undefined ? "" : `${Path.basename(each.file.fileName)}: `
    return where + ts.flattenDiagnosticMessageText(each.messageText, "\n")
  })
  return { errors, files: program.getSourceFiles().map(({ fileName }) => Fs.realpathSync(fileName)) }
}
