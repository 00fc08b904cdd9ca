import { defineConfig, mergeConfig } from "vitest/config";
import common from "./vitest.config.ts";

/** What takes too long for `npm test`; each has a short form there. */
const config = mergeConfig(common, defineConfig({}));
export default {
  ...config,
  test: { ...config.test, include: ["src/**/*.long.ts", "test/**/*.long.ts", "bench/**/*.long.ts"] },
};
