/** What a single executable of ours must be told to run a file, as Node does with any file it is given. */
export const runScript = "--run-script"

/** This very Node: the program and its first arguments that run a JavaScript file. */
export const ownNode = (): ReadonlyArray<string> =>
  process.getBuiltinModule("node:sea").isSea() ? [process.execPath, runScript] : [process.execPath]
