import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Removes everything that tests and their processes leave in the temporary folder. */
export default function setup(): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "logweir-tests-"));
  process.env.TMPDIR = folder;
  // An engine whose worker has ended writes until it has noticed that.
  return () => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
