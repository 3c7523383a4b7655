import { createHash } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { nodeVersion, type Target } from "./Target.ts"
import { run } from "./Run.ts"

/** Node for another kind of machine, from its npm package; unpacked into `folder`, the package kept in `cache`. */
export const foreignNode = async (target: Target, folder: string, cache: string): Promise<string> => {
  const tarball = Path.join(cache, `${target.package}-${nodeVersion}.tgz`)
  if (!Fs.existsSync(tarball)) {
    Fs.mkdirSync(cache, { recursive: true })
    await run("npm", ["pack", "--silent", `${target.package}@${nodeVersion}`, "--pack-destination", folder])
    Fs.renameSync(Path.join(folder, Path.basename(tarball)), tarball)
  }
  const integrity = integrityOf(tarball)
  if (integrity !== target.integrity) {
    Fs.rmSync(tarball)
    throw new Error(`${tarball} is not the package that was expected: ${integrity} instead of ${target.integrity}`)
  }
  const node = target.platform === "win32" ? "package/bin/node.exe" : "package/bin/node"
  await run("tar", ["-xzf", tarball, "-C", folder, node])
  return Path.join(folder, node)
}

const integrityOf = (path: string): string =>
  `sha512-${createHash("sha512").update(Fs.readFileSync(path)).digest("base64")}`
