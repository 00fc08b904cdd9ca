// `npm run mutants -- ROOM... [--about N] [--seed N] [--beside]`: the share of small mistakes in a room of src/ that its
// tests notice, and those that they do not. With `--about` a part of the room is tried that holds about so many. With
// `--beside` the room's own tests count alone, which takes a fraction of the time and can only make the share smaller.
// `npm run mutants -- --table` prints what came out last for each room. What makes the mistakes (Stryker) needs Node 22
// and is large: it is fetched into a folder of its own.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildIfStale } from "../../bin/build.mjs";
import { judge, placesOfAlive, printTable, recordScore, withLaterLook } from "./scores.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const folder = join(root, "node_modules", ".cache", "logweir-mutants");
const packages = ["@stryker-mutator/core@10.1.1", "@stryker-mutator/vitest-runner@10.1.1"];

function run(command, args, options = {}) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit", ...options });
  if (status !== 0) process.exit(status ?? 1);
}

/** Node.js for Stryker: this one where it is new enough. */
function nodePath() {
  if (Number(process.versions.node.split(".")[0]) >= 22) return process.execPath;
  const platform = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${platform}-${process.arch}`;
  install([`${name}@24`], name);
  return join(folder, "node_modules", name, "bin", "node");
}

function install(names, needed) {
  if (existsSync(join(folder, "node_modules", needed))) return;
  mkdirSync(folder, { recursive: true });
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--legacy-peer-deps"];
  run("npm", ["install", "--prefix", folder, ...quiet, ...names]);
}

/** Mutants in a line of code, as it came out for the rooms that were tried whole. */
const MUTANTS_A_LINE = 1;
/** Lines that are tried together; a mistake that reaches further is not made. */
const WINDOW_LINES = 15;

/** Rooms that put others together: what no test beside the code notices, tests of whole services may. */
const PROVEN_FROM_OUTSIDE = /^(?:config|endpoints|http|service)\b/;
/** Rooms that much else uses: the tests that are made for them count. */
const USED_BY_ALL = /^(?:googlesql|engines\/(?:duckdb|encoder))\b/;
/** Those of these rooms that answer queries: the written cases of the language count too. */
const ANSWERS_QUERIES = /^(?:googlesql|engines\/duckdb\/(?:compile|functions|host|sql|driver))\b/;

/**
 * Those of these whose own tests use an engine and take longer than the cases: they run on mutants that survive the
 * cases.
 */
const CASES_FIRST = /^engines\/duckdb\/(?:compile|functions)\b/;

/** The tests that look for a room's mutants, by their names in `vitest.config.ts`; later ones at what is left. */
function looksOf(room) {
  if (isBeside) return ["beside"];
  if (CASES_FIRST.test(room)) return ["cases", "own"];
  if (USED_BY_ALL.test(room)) return ANSWERS_QUERIES.test(room) ? ["own", "cases"] : ["own"];
  return PROVEN_FROM_OUTSIDE.test(room) ? ["units", "services"] : ["units"];
}

/** The whole room, or windows from all over it, chosen by their places and the seed. */
function placesOf(room, about, seed) {
  const not = ["!**/*.test.ts", "!**/*.long.ts", "!**/tables/**"];
  if (about === undefined) return [`src/${room}/**/*.ts`, ...not];
  const files = readdirSync(join(root, "src", room), { recursive: true })
    .map((file) => `src/${room}/${file}`)
    .filter((file) => file.endsWith(".ts") && !/\.(?:test|long)\.ts$|\/tables\//.test(file));
  const windows = files.flatMap((file) => {
    const { length } = readFileSync(join(root, file), "utf8").split("\n");
    const count = Math.ceil(length / WINDOW_LINES);
    return Array.from({ length: count }, (_, at) => `${file}:${at * WINDOW_LINES + 1}-${(at + 1) * WINDOW_LINES}`);
  });
  const orderOf = (window) => createHash("sha256").update(`${seed} ${window}`).digest("hex");
  const shuffled = windows.map((window) => [orderOf(window), window]).sort(([a], [b]) => (a < b ? -1 : 1));
  return shuffled.slice(0, Math.ceil(about / MUTANTS_A_LINE / WINDOW_LINES)).map(([, window]) => window);
}

function parseCommandLine() {
  const options = {
    about: { type: "string" },
    seed: { type: "string", default: "1" },
    beside: { type: "boolean" },
    table: { type: "boolean" },
  };
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const about = values.about === undefined ? undefined : Number(values.about);
  const rooms = positionals.map((room) => room.replace(/^src\//, "").replace(/\/$/, ""));
  const isTable = values.table === true;
  if (isTable ? rooms.length === 0 : rooms.length > 0 && (about === undefined || about > 0)) {
    return { rooms, about, seed: values.seed, isBeside: values.beside === true, isTable };
  }
  process.stderr.write("Name a room of src/, such as `npm run mutants -- endpoints/cache --about 200`, or --table\n");
  process.exit(2);
}

const { rooms, about, seed, isBeside, isTable } = parseCommandLine();
if (isTable) {
  printTable();
  process.exit(0);
}
const node = nodePath();
install(packages, "@stryker-mutator/vitest-runner");
await buildIfStale();
for (const room of rooms) {
  const [first, ...later] = looksOf(room);
  let report = tryMutants(room, first, { mutate: placesOf(room, about, seed), incremental: about === undefined });
  for (const tests of later) {
    const alive = placesOfAlive(report);
    if (alive.length === 0) break;
    report = withLaterLook(report, tryMutants(room, tests, { mutate: alive, incremental: false }));
  }
  print(room, judge(report), { about, seed, isBeside });
}

/** Makes the mutants one after the other, and reads what became of them. */
function tryMutants(room, tests, options) {
  const name = `${room.replaceAll("/", "-")}-${tests}`;
  const report = join(folder, `${name}.json`);
  const config = {
    testRunner: "vitest",
    plugins: [join(folder, "node_modules/@stryker-mutator/vitest-runner/dist/src/index.js")],
    vitest: { configFile: "test/mutants/vitest.config.ts", related: !USED_BY_ALL.test(room) },
    coverageAnalysis: "perTest",
    ignoreStatic: true,
    incrementalFile: join(folder, `${name}.incremental.json`),
    tempDirName: ".mutants",
    ignorePatterns: ["data", "dist/.staging-*"],
    concurrency: Number(process.env.MUTANTS_AT_ONCE ?? availableParallelism()),
    reporters: ["json", "progress-append-only"],
    jsonReporter: { fileName: report },
    // TypeScript 7 has no compiler API to rewrite its configuration with, and the tests need none.
    tsconfigFile: "none.json",
    disableTypeChecks: false,
    // Loops without an end are found by how often they turn; what is slow because the machine is busy has to pass.
    timeoutMS: 60_000,
    timeoutFactor: 5,
    allowConsoleColors: false,
    // The first run takes minutes where the machine is busy.
    dryRunTimeoutMinutes: 60,
    testRunnerNodeArgs: ["--import", fileURLToPath(new URL("keep-worker.mjs", import.meta.url))],
    ...options,
  };
  const configFile = join(folder, `${name}.config.json`);
  writeFileSync(configFile, JSON.stringify(config));
  const env = { ...process.env, MUTANTS_TESTS: tests, MUTANTS_ROOM: room };
  run(node, [join(folder, "node_modules/@stryker-mutator/core/bin/stryker.js"), "run", configFile], { env });
  return JSON.parse(readFileSync(report, "utf8"));
}

/** A line a survivor, then the score: of the mutants that make a difference, those that a test fails on. */
function print(room, { killed, timedOut, survivors, equivalents, untried }, sample) {
  for (const { file, start, replacement, status } of [...timedOut, ...survivors]) {
    const what = replacement.replaceAll(/\s+/g, " ").slice(0, 100);
    process.stdout.write(`${file}:${start.line}:${start.column} ${status}: ${what}\n`);
  }
  const tried = killed + survivors.length;
  const share = ((100 * killed) / tried).toFixed(1);
  process.stdout.write(
    `${room}: ${killed} of ${tried} mutants killed, ${share} %, ${timedOut.length} of them by time; ` +
      `${equivalents} make no difference, ${untried} were not tried\n`,
  );
  recordScore(room, { tried, killed, byTime: timedOut.length, equivalents, ...sample });
}
