// Installs the dependencies when the checkout has none, or when the lockfile changed since.
import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const lockfile = join(root, "package-lock.json");
const stamp = join(root, "node_modules", ".logweir-lock.json");

function isInstalled() {
  if (statSync(join(root, "node_modules"), { throwIfNoEntry: false }) === undefined) return false;
  // A published package has no lockfile: npm installed its dependencies with it.
  if (statSync(lockfile, { throwIfNoEntry: false }) === undefined) return true;
  if (statSync(stamp, { throwIfNoEntry: false }) !== undefined) {
    return readFileSync(stamp).equals(readFileSync(lockfile));
  }
  // Somebody else ran npm: npm writes this file at the end of each install.
  const marker = statSync(join(root, "node_modules", ".package-lock.json"), { throwIfNoEntry: false });
  return marker !== undefined && marker.mtimeMs >= statSync(lockfile).mtimeMs;
}

/** Runs `npm ci` when something is missing; exits with npm's status when that fails. */
export function installIfMissing() {
  if (isInstalled()) return;
  process.stderr.write("Installing dependencies (npm ci) ...\n");
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const result = spawnSync(npm, ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  if (result.status !== 0) {
    process.stderr.write("npm ci failed; see its output above.\n");
    process.exit(result.status ?? 1);
  }
  copyFileSync(lockfile, stamp);
}
