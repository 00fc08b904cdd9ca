#!/usr/bin/env node
// The launcher: installs and builds what is missing, then runs the bundle in this process.
import { buildIfStale } from "./build.mjs";
import { installIfMissing } from "./install.mjs";

installIfMissing();
await buildIfStale();
await import("../dist/logweir.js");
