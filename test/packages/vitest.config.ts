import path from "node:path";
import { defineConfig } from "vitest/config";

/** The tests of the packages: `npm run test:packages`. They install from the registry, and take minutes. */
export default defineConfig({
  test: {
    root: path.resolve(import.meta.dirname, "../.."),
    include: ["test/packages/*.test.ts"],
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
