import { spawn } from "node:child_process"
import { once } from "node:events"
import { createRequire } from "node:module"
import * as Path from "node:path"
import * as esbuild from "esbuild"
import packageJson from "../../package.json" with { type: "json" }

/**
 * Bundles the three faces of the package. Their dependencies stay imports: an embedder's own Effect and ours must be
 * one and the same. What the faces share goes to `chunks/`, so that a service tag or an error class exists once.
 */
export const buildLibrary = async (root: string, outdir: string): Promise<void> => {
  await esbuild.build({
    entryPoints: {
      index: Path.join(root, "src/index.ts"),
      testing: Path.join(root, "src/testing/index.ts"),
      host: Path.join(root, "src/host/SidecarHost.ts")
    },
    outdir,
    bundle: true,
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    format: "esm",
    platform: "node",
    // A host runs on older versions of Node than the sidecar does.
    target: "node20.11",
    external: Object.keys(packageJson.peerDependencies).flatMap((name) => [name, `${name}/*`]),
    sourcemap: true,
    logLevel: "warning"
  })
}

/** Writes the `.d.ts` files beside; in a process of its own, so that it runs while the bundles are built. */
export const emitTypes = async (root: string, outdir: string): Promise<void> => {
  const tsc = Path.join(Path.dirname(createRequire(import.meta.url).resolve("typescript")), "tsc.js")
  const project = Path.join(root, "scripts/build/tsconfig.json")
  const child = spawn(process.execPath, [tsc, "--project", project, "--outDir", outdir], { stdio: "inherit" })
  const [code] = await once(child, "exit")
  if (code !== 0) throw new Error("the type declarations have errors")
}
