import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Removes everything that tests and their processes leave in the temporary folder. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "logweir-tests-"));
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
