import * as Path from "node:path"
import { configDefaults, defineConfig } from "vitest/config"
import { executableName, targetOf } from "./scripts/build/Target.ts"
import config from "./vitest.config.ts"

/** `npm run test:binary`: what the bin does over a real pipe, done by the executable of this machine. */
export default defineConfig({
  test: {
    ...config.test,
    include: [
      "test/boot/CommandLine.test.ts",
      "test/boot/executable.test.ts",
      "test/bin/process.test.ts",
      "test/bin/approvals.test.ts",
      "test/bin/launch.test.ts"
    ],
    exclude: configDefaults.exclude,
    env: { SIDECAR_EXECUTABLE: Path.resolve("dist/binary", executableName(targetOf())) }
  }
})
