import * as Module from "node:module"
import type { Plugin } from "esbuild"

/**
 * Takes Node's own modules by `process.getBuiltinModule`: a script has neither `import` nor `require`. Only the exports
 * that are used are read, each once: to read all those of `node:http`, undici among them, costs 28 ms of start.
 */
export const builtins: Plugin = {
  name: "builtins",
  setup(build) {
    const known = new Set(Module.builtinModules.map(bare))
    build.onResolve({ filter: /^[a-z]|^node:/ }, ({ path, kind }) => {
      if (!known.has(bare(path))) return undefined
      const namespace = kind === "require-call" ? "builtin-cjs" : "builtin-esm"
      return { path: `node:${bare(path)}`, namespace, sideEffects: kind === "require-call" }
    })
    build.onLoad({ filter: /.*/, namespace: "builtin-cjs" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`,
      loader: "js"
    }))
    build.onLoad({ filter: /.*/, namespace: "builtin-esm" }, ({ path }) => ({
      contents: facade(path, exportsOf(path)),
      loader: "js"
    }))
  }
}

const bare = (path: string) => path.replace(/^node:/, "")

const exportsOf = (path: string): ReadonlyArray<string> => {
  const names = Object.getOwnPropertyNames(process.getBuiltinModule(path) ?? {})
  return names.filter((name) => /^[A-Za-z_]\w*$/.test(name) && !["default", "arguments", "eval"].includes(name))
}

const facade = (path: string, names: ReadonlyArray<string>): string => {
  const load = `process.getBuiltinModule(${JSON.stringify(path)})`
  const eager = [
    `const module = /* @__PURE__ */ ${load}`,
    `const from = (module, name) => module[name]`,
    `export default module`,
    ...names.map((name) => `const _${name} = /* @__PURE__ */ from(module, "${name}")`)
  ]
  const onCall = names.map((name) =>
    name === "constants"
      ? `const _constants = /* @__PURE__ */ (() => ${load}.constants)()`
      : `const _${name} = (...args) => ${load}.${name}(...args)`
  )
  const lines = loadedOnCall.has(path) ? onCall : eager
  return [...lines, ...names.map((name) => `export { _${name} as ${name} }`)].join("\n")
}

/** Plain functions all, none of them needed before a session: 2 ms of start. */
const loadedOnCall = new Set(["node:fs/promises"])
