import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What tests and the processes that they start leave in the temporary folder goes with the run. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "logweir-tests-"));
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
