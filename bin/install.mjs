// Installs the dependencies when one of the lockfile is missing.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const lockfile = join(root, "package-lock.json");
/** The list of installed packages, which npm writes at the end of each install. */
const installed = join(root, "node_modules", ".package-lock.json");

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8")).packages;
  } catch {
    return undefined;
  }
}

/** True when every package of the lockfile is there in its version; those for other platforms are left out by npm. */
function isInstalled() {
  const wanted = readPackages(lockfile);
  // A published package has no lockfile: npm installed its dependencies with it.
  if (wanted === undefined) return true;
  const present = readPackages(installed);
  if (present === undefined) return false;
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === "" || optional === true || present[path]?.version === version,
  );
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
}
