// `npm test`: once what is missing is installed, all tests but those that `vitest.suites.ts` leaves to a stage of
// `.ci/run`. `npm test -- PATH...` runs those of some files, whichever they are.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installIfMissing } from "./install.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

installIfMissing();
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const { status } = spawnSync(process.execPath, [vitest, "run", ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
});
process.exit(status ?? 1);
