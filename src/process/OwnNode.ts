/** The argument that makes the single executable run a JavaScript file, as `node FILE` does. */
export const runScript = "--run-script"

/** The Node of this process: the program and the arguments that precede the JavaScript file to run. */
export const ownNode = (): ReadonlyArray<string> =>
  process.getBuiltinModule("node:sea").isSea() ? [process.execPath, runScript] : [process.execPath]

/** What this Node needs in the environment to be one, if it is an Electron; nothing for any other program. */
export const ownNodeEnvironment = (program: string): { readonly ELECTRON_RUN_AS_NODE?: string } => {
  const { ELECTRON_RUN_AS_NODE } = process.env
  return program === process.execPath && ELECTRON_RUN_AS_NODE !== undefined ? { ELECTRON_RUN_AS_NODE } : {}
}
