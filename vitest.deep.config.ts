import { defineConfig, mergeConfig } from "vitest/config";
import common from "./vitest.config.ts";

/** The rule of tenants over 20,000 calls and every odd event; `npm test` takes a part of it. */
const config = mergeConfig(common, defineConfig({}));
export default { ...config, test: { ...config.test, include: ["test/**/*.deep.ts"] } };
