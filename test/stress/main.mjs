// `npm run test:stress [-- ROUNDS] [PATH...]`: npm test again and again, 20 times unless told otherwise, while a busy
// process holds each core. Prints the seconds of each round and what failed; exits with 1 where anything did.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { installIfMissing } from "../../bin/install.mjs";

installIfMissing();
const [first = "", ...rest] = process.argv.slice(2);
const isCount = /^[1-9]\d*$/.test(first);
const rounds = isCount ? Number(first) : 20;
const paths = isCount ? rest : process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "logweir-stress-"));
const report = join(folder, "report.json");

const busy = Array.from({ length: availableParallelism() }, () =>
  // It ends with this process, however that ends.
  spawn(
    process.execPath,
    [
      "-e",
      "process.stdin.resume().on('end', () => process.exit()); (function turn() { const end = Date.now() + 50; while (Date.now() < end); setImmediate(turn); })()",
    ],
    {
      stdio: ["pipe", "ignore", "ignore"],
    },
  ),
);

/** Runs a round and returns its failures: tests by name, and errors of vitest itself. */
function run() {
  rmSync(report, { force: true });
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", "--reporter=json", `--outputFile=${report}`, ...paths],
    { encoding: "utf8", maxBuffer: 1e9, stdio: ["ignore", "pipe", "pipe"] },
  );
  const failed = [];
  let passed = 0;
  try {
    for (const { name, assertionResults, message } of JSON.parse(readFileSync(report, "utf8")).testResults) {
      const file = name.replace(`${process.cwd()}/`, "");
      const tests = assertionResults.filter((test) => test.status === "failed");
      passed += assertionResults.filter((test) => test.status === "passed").length;
      for (const { fullName, failureMessages } of tests)
        failed.push(`${file}: ${fullName}: ${failureMessages[0]?.split("\n")[0]}`);
      if (tests.length === 0 && message !== "") failed.push(`${file}: ${message}`);
    }
  } catch (error) {
    failed.push(`There is no report: ${error.message}`);
  }
  if (status !== 0 && failed.length === 0)
    failed.push(`vitest ended with ${status}:\n${(stderr + stdout).slice(-3_000)}`);
  return { failed, passed };
}

let failedRounds = 0;
for (let round = 1; round <= rounds; round++) {
  const started = performance.now();
  const { failed, passed } = run();
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  if (failed.length > 0) failedRounds++;
  console.log(`round ${round} of ${rounds}: ${seconds} s, ${passed} tests passed, ${failed.length} failed`);
  for (const each of failed) console.log(`  FAILED ${each}`);
}
for (const { pid } of busy) process.kill(pid);
rmSync(folder, { recursive: true, force: true });
console.log(failedRounds === 0 ? `${rounds} rounds without a failure` : `${failedRounds} of ${rounds} rounds failed`);
process.exit(failedRounds === 0 ? 0 : 1);
