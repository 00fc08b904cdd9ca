#!/usr/bin/env node
// The launcher: in a checkout it installs and builds what is missing; a package comes built. Then the bundle runs in
// this process.
import { existsSync } from "node:fs";

if (existsSync(new URL("../src", import.meta.url))) {
  const { installIfMissing } = await import("./install.mjs");
  installIfMissing();
  const { buildIfStale } = await import("./build.mjs");
  await buildIfStale();
}
await import("../dist/logweir.js");
