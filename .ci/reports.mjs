// Vitest's reports of all stages.
import { readFileSync } from "node:fs";
import { basename, relative } from "node:path";

const shownCount = 10;

/** Every test file of the reports, with its stage, seconds and tests. */
export function readReports(paths) {
  return paths.flatMap((path) =>
    JSON.parse(readFileSync(path, "utf8")).testResults.map(
      ({ name, startTime, endTime, status, assertionResults }) => ({
        stage: basename(path, ".json"),
        file: relative("", name),
        seconds: (endTime - startTime) / 1000,
        isFailed: status === "failed",
        passed: assertionResults.filter((test) => test.status === "passed").length,
        failed: assertionResults.filter((test) => test.status === "failed").map(({ fullName }) => fullName),
      }),
    ),
  );
}

/** The slowest files, what failed, and how many there were. */
export function describeReports(files) {
  if (files.length === 0) return "";
  const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, shownCount);
  const failedFiles = files.filter(({ isFailed }) => isFailed);
  const failed = files.flatMap((each) => each.failed.map((name) => `FAILED ${each.stage}: ${each.file}: ${name}`));
  const count = (failures, passed, all) => `${failures > 0 ? `${failures} failed | ` : ""}${passed} passed (${all})`;
  const passed = files.reduce((sum, each) => sum + each.passed, 0);
  return [
    "\nSlowest test files",
    ...slowest.map(({ seconds, stage, file }) => `${seconds.toFixed(1).padStart(8)} s  ${stage.padEnd(16)} ${file}`),
    "",
    ...failed,
    ` Test Files  ${count(failedFiles.length, files.length - failedFiles.length, files.length)}`,
    `      Tests  ${count(failed.length, passed, passed + failed.length)}`,
  ].join("\n");
}
