import { configDefaults, defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts", "scripts/**/*.test.ts"],
    exclude: [...configDefaults.exclude, "test/boot/executable.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // The files of a worker share their modules: loading Effect anew for each file was half of the suite's processor time.
    // So a test restores whatever it changes of the process: variables, listeners, functions.
    isolate: false,
    // More than a small machine has processors: many tests wait for processes that take their time.
    maxWorkers: 3
  }
})
