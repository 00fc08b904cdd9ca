// Runs stages, one or several at a time, each within its time.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The shell's last words: the processor seconds of what it waited for, in minutes and seconds. */
const countTimes = "trap 'times > \"$CI_TIMES\"' EXIT\n";

function readProcessorSeconds(path) {
  try {
    const [, children = ""] = readFileSync(path, "utf8").split("\n");
    const parts = [...children.matchAll(/(\d+)m([\d.,]+)s/g)];
    return parts.reduce((sum, [, minutes, seconds]) => sum + 60 * minutes + Number(seconds.replace(",", ".")), 0);
  } catch {
    return 0;
  }
}

/** Ends a shell and all that it started. */
function endGroup(child) {
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}

/** How many lines of a failed stage are told again at the end. */
const toldLines = 30;

/** One stage; `problem` is undefined when it passed. What one prints beside another is shown when it ends. */
function runStage({ name, command, limitSeconds }, env, { running, isAlone }) {
  const started = performance.now();
  const folder = mkdtempSync(join(tmpdir(), "logweir-stage-"));
  const times = join(folder, "times");
  const stdio = ["ignore", ...(isAlone ? ["inherit", "inherit"] : ["pipe", "pipe"])];
  const child = spawn("bash", ["-euo", "pipefail", "-c", countTimes + command], {
    env: { ...env, CI_STAGE: name, CI_TIMES: times },
    stdio,
    detached: true,
  });
  running.add(child);
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => output.push(chunk));
  if (isAlone) console.log(`== ${name}`);
  return new Promise((resolve) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      endGroup(child);
    }, limitSeconds * 1000);
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      running.delete(child);
      // What it left in the background ends with it.
      endGroup(child);
      const text = Buffer.concat(output).toString();
      if (!isAlone) process.stdout.write(`== ${name}\n${text}`);
      const problem = isLate
        ? `not over after ${limitSeconds} s`
        : code === 0
          ? undefined
          : `ended with ${code ?? signal}`;
      const seconds = (performance.now() - started) / 1000;
      const lastLines =
        problem === undefined || output.length === 0 ? [] : text.trimEnd().split("\n").slice(-toldLines);
      resolve({ name, problem, seconds, processorSeconds: readProcessorSeconds(times), lastLines });
      rmSync(folder, { recursive: true, force: true });
      console.log(`== ${name}: ${problem ?? "passed"}, ${seconds.toFixed(1)} s`);
    });
  });
}

/**
 * The results of all stages, of which `rows` run at a time, each once those that it needs have passed. What needs one
 * that failed is not tried.
 */
export async function runStages(stages, env, rows = 1) {
  const running = new Set();
  const endAll = () => {
    for (const child of running) endGroup(child);
    process.exit(130);
  };
  process.once("SIGINT", endAll).once("SIGTERM", endAll);
  try {
    return await runRows(stages, env, rows, running);
  } finally {
    process.off("SIGINT", endAll).off("SIGTERM", endAll);
  }
}

function runRows(stages, env, rows, running) {
  const results = [];
  const waiting = [...stages];
  const unmet = new Set(stages.map(({ name }) => name));
  const isReady = ({ name, needs = ["install"] }) => needs.every((each) => each === name || !unmet.has(each));
  return new Promise((resolve, reject) => {
    let active = 0;
    const startReady = () => {
      while (active < rows && waiting.some(isReady)) {
        const [stage] = waiting.splice(waiting.findIndex(isReady), 1);
        active++;
        runStage(stage, env, { running, isAlone: rows === 1 }).then((result) => {
          active--;
          results.push(result);
          if (result.problem === undefined) unmet.delete(stage.name);
          startReady();
        }, reject);
      }
      if (active === 0) resolve(results);
    };
    startReady();
  });
}

/** A line for each stage. */
export function describeResults(results) {
  const lines = results.map(
    ({ name, problem, seconds, processorSeconds }) =>
      `${name.padEnd(24)} ${seconds.toFixed(1).padStart(8)} ${processorSeconds.toFixed(1).padStart(10)}  ${problem ?? ""}`,
  );
  return [`\n${"Stage".padEnd(24)} ${"seconds".padStart(8)} ${"processor".padStart(10)}`, ...lines].join("\n");
}

/** The last lines of each stage that failed beside another: what it printed is far above. */
export function describeFailures(results) {
  return results
    .filter(({ lastLines }) => lastLines.length > 0)
    .flatMap(({ name, lastLines }) => [`\n== ${name}, its last lines`, ...lastLines])
    .join("\n");
}
