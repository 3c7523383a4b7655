/** `npm run floors`: exits 1 where an import goes up, a file is too long, or a package is imported as a whole. */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { violations } from "./floors/Rules.ts"

const root = Path.resolve(import.meta.dirname, "..")
const files = Fs.globSync(["src/**/*.ts", "scripts/**/*.ts", "test/**/*.ts"], { cwd: root })
  .toSorted()
  .map((path) => ({
    path: path.replaceAll(Path.sep, "/"),
    text: Fs.readFileSync(Path.join(root, path), "utf8")
  }))

const breaches = violations(files)
for (const line of breaches) console.error(line)
if (breaches.length > 0) process.exitCode = 1
