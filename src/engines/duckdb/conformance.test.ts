import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { testConformance } from "../../../test/engine-conformance/test-conformance.ts";
import { openDuckDbEngine } from "./index.ts";

const folder = mkdtempSync(join(tmpdir(), "logweir-conformance-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

testConformance({
  name: "the embedded engine",
  open: () => openDuckDbEngine({ directory: join(folder, "store"), threads: 2 }),
  notSupported: {},
  cases: "short",
});
