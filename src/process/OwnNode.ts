/** The argument that makes the single executable run a JavaScript file, as `node FILE` does. */
export const runScript = "--run-script"

/** The Node of this process: the program and the arguments that precede the JavaScript file to run. */
export const ownNode = (): ReadonlyArray<string> =>
  process.getBuiltinModule("node:sea").isSea() ? [process.execPath, runScript] : [process.execPath]
