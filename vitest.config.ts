import { configDefaults, defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts", "scripts/**/*.test.ts"],
    exclude: [...configDefaults.exclude, "test/boot/executable.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    maxWorkers: 2
  }
})
