// Debian's packages for checks that need more than Node.js: daemons, proxies, what builds images.
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folders = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
const installLimitMs = 240_000;
/** The policy that packages query before they start a daemon of theirs. */
const policyPath = "/usr/sbin/policy-rc.d";
const aptOptions = [
  "-qq",
  "-o",
  "Acquire::http::Timeout=15",
  "-o",
  "Acquire::Retries=1",
  "-o",
  "DPkg::Lock::Timeout=120",
];

let isUpdated = false;

/** Where a program lies; undefined where there is none of the name. */
export function findProgram(name) {
  return folders
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Runs apt-get without questions and within four minutes, over lists of packages of now. Throws where it fails. */
export function apt(words, cwd = "/") {
  const run = (all) => {
    const { status, error } = spawnSync("apt-get", [...aptOptions, ...all], {
      cwd,
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      stdio: ["ignore", "ignore", "inherit"],
      timeout: installLimitMs,
    });
    if (status !== 0) throw new Error(`apt-get ${all.join(" ")} ended with ${status ?? error?.message}`);
  };
  if (!isUpdated) run(["update"]);
  isUpdated = true;
  run(words);
}

/** Installs packages as root with CI=true, without starting a daemon of theirs. Says what went wrong, and goes on. */
export function installPackages(...packages) {
  const may = process.getuid?.() === 0 && process.env.CI === "true" && findProgram("apt-get") !== undefined;
  if (!may) return;
  const hasPolicy = existsSync(policyPath);
  try {
    if (!hasPolicy) writeFileSync(policyPath, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
    apt(["install", "-y", "--no-install-recommends", ...packages]);
  } catch (error) {
    process.stderr.write(`${packages.join(", ")} cannot be installed: ${error.message}\n`);
  } finally {
    if (!hasPolicy) rmSync(policyPath, { force: true });
  }
}

/** Where a program lies, after its packages were installed where they may be; undefined where it is still missing. */
export function provideProgram(name, ...packages) {
  const found = findProgram(name);
  if (found !== undefined) return found;
  installPackages(...packages);
  return findProgram(name);
}

/** Ends the process with 1 when it is not over after some seconds; `end` ends what it started. */
export function endAfter(seconds, end) {
  const timer = setTimeout(() => {
    process.stdout.write(`FAILED    it was not over after ${seconds} s\n`);
    end();
    process.exit(1);
  }, seconds * 1000);
  timer.unref();
}
