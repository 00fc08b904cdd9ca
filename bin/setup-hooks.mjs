// `npm run setup-hooks`: runs `.githooks/` before each commit of this clone. `git config --unset core.hooksPath` ends it.
import { spawnSync } from "node:child_process";

const { status } = spawnSync("git", ["config", "core.hooksPath", ".githooks"], { stdio: "inherit" });
process.exit(status ?? 1);
