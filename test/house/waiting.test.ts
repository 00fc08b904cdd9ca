import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** Patterns that make a test depend on the machine's speed, or hide that it does. */
const signs = {
  "tries a test again": /\bretry\s*(?::\s*[\w{]|\s*\})|--retry\b|\brepeats\s*:/,
  "runs a command again":
    /\|\|\s*(?:exec\s+|time\s+|timeout\s[^|&]*)?(?:npm|npx|node|stage|run)\b|\buntil\s+(?:npm|npx|node)\b/,
  "waits for a fixed time":
    /(?<!["'])\bset(?:Timeout|Interval)\(|timers\/promises|\bAtomics\.wait\b|(?<![.\w"'])sleep\(/,
  "waits for a few seconds at most":
    /\bvi\.wait(?:For|Until)\(|\.poll\([^;]*\btimeout:\s*(?:\d{1,4}|\d_\d{3}|1[0-4]_\d{3})\b/,
  "looks at the time that passed":
    /\b(?:performance|Date)\.now\(\)\s*(?:-|[<>]=?)\s*[A-Za-z(]|(?:-|<=?|(?<!=)>=?)\s*(?:performance|Date)\.now\(\)/,
};

type Sign = keyof typeof signs;

const fixed: Sign = "waits for a fixed time";
const passed: Sign = "looks at the time that passed";

/** The files that may, and why; no file of `npm test` but the first six. */
const allowed: readonly (readonly [file: string, may: readonly Sign[], reason: string])[] = [
  ["test/support/wait-until.ts", [fixed, passed], "the one loop that looks until something is so"],
  ["src/endpoints/tail/tail-hub.test.ts", [passed], "its clock is a fake one"],
  ["test/clickhouse/chdb.ts", [fixed], "waits for the download of another worker, of which no event tells"],
  ["test/nodes/faulty-proxy.ts", [fixed], "the delay is the fault"],
  ["test/security/non-interference/two-stores.ts", [fixed], "ends a tail that has no row to show"],
  ["test/package/bundle.test.ts", [fixed], "a program of its own looks until its children are gone"],
  [".ci/main.mjs", [passed], "prints seconds"],
  [".ci/run-stages.mjs", [fixed, passed], "prints seconds, and ends a stage that takes too long"],
  ["test/stress/main.mjs", [passed], "prints seconds, and keeps every core busy"],
  ["test/clickhouse/faults/troubled-line.ts", [fixed], "the delay is the fault"],
  ["test/clickhouse/faults/run-faults.ts", [fixed], "faults last for some time"],
  ["test/clickhouse/faults/traffic.ts", [fixed], "sends at a rate"],
  ["test/composition/connection-attempts.ts", [fixed], "sends at a rate"],
  ["test/crash/crash-run.ts", [fixed, passed], "kills at random moments, and reports how long restarts take"],
  ["test/crash/soak.ts", [fixed, passed], "runs for a given time at a given rate"],
  ["test/security/fuzz.ts", [passed], "runs for a given time"],
  [
    "test/loki/judge-tails.ts",
    [fixed, passed],
    "waits until another program has told everything, of which nothing tells",
  ],
  ["test/moving/moving.long.ts", [fixed], "kills at different moments of a command"],
  ["test/nodes/changes-while-stopped.long.ts", [fixed], "for so long a node stands still"],
  [
    "test/nodes/faulty-database.long.ts",
    [fixed, passed],
    "promises of docs/operations.md in seconds, on faults that take seconds",
  ],
  [
    "test/nodes/nodes.long.ts",
    [fixed, passed],
    "promises of docs/operations.md in seconds, on faults that take seconds",
  ],
  ["test/acceptance/tail-followers.long.ts", [fixed, passed], "sends at a rate, and reports how late rows arrive"],
  ["test/console/browser.ts", [fixed], "a page that hangs answers nobody"],
  ["test/console/main.ts", [passed], "prints how long each check took"],
  ["test/console/measure.ts", [passed], "measures, and prints"],
  ["test/console/measure-scroll.ts", [fixed, passed], "measures, and prints"],
  ["test/senders/main.mjs", [fixed, passed], "looks until events of other programs are there"],
  ["test/senders/proxies.mjs", [fixed], "other programs end"],
  ["test/senders/syslog.mjs", [fixed, passed], "looks until events of other programs are there"],
  ["deploy/test/main.ts", [fixed], "containers start and come to rest, of which no event tells"],
];

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
  .split("\n")
  .filter((file) =>
    /^(?:test|deploy\/test|\.ci|\.github)\/|\.(?:test|long)\.tsx?$|\/testing\/|^vitest.*\.ts$|^package\.json$/.test(
      file,
    ),
  )
  .filter(
    (file) =>
      /\.(?:tsx?|mjs|json|ya?ml|sh)$|^\.ci\//.test(file) && !/\/corpus\/|\/tables\/|waiting\.test\.ts$/.test(file),
  );

/** The signs in a text, each once. */
function findSigns(text: string, isProgram = true): readonly Sign[] {
  const code = text.replaceAll(/^\s*(?:\/\/|\*|\/\*\*|#).*$/gm, "");
  const ofKind = (Object.keys(signs) as Sign[]).filter((sign) => !isProgram || sign !== "runs a command again");
  return ofKind.filter((sign) => signs[sign].test(code));
}

it.each([
  ["export default { test: { retry: 2 } }", "tries a test again"],
  ["it('x', { retry }, work); const o = { retry: one }", "tries a test again"],
  ["vitest run --retry 3", "tries a test again"],
  ["npm run -s console:test || npm run -s console:test", "runs a command again"],
  ["await new Promise((resolve) => setTimeout(resolve, 20));", fixed],
  ["import { setTimeout as pause } from 'node:timers/promises';", fixed],
  ["Atomics.wait(cell, 0, 0, ms);", fixed],
  ["await sleep(5);", fixed],
  ["await vi.waitFor(() => expect(a).toBe(1));", "waits for a few seconds at most"],
  ["await expect.poll(read, { timeout: 2_000 }).toBe(1);", "waits for a few seconds at most"],
  ["expect(performance.now() - started).toBeLessThan(1_000);", passed],
  ["if (Date.now() > deadline) throw error;", passed],
  ["const tookMs = end - performance.now();", passed],
] as const)("findSigns sees that %s", (text, sign) => {
  expect(findSigns(text, false)).toEqual([sign]);
});

it.each([
  ["vi.useFakeTimers({ toFake: ['setTimeout'] });"],
  ["await vi.advanceTimersByTimeAsync(100);"],
  ["const before = Date.now() * 1000;"],
  ["runTests(bench, tests, () => performance.now())"],
  ["await expect.poll(read).toBe(1); other({ timeout: 5 });"],
  ["programs=$(find initdb) || true"],
])("findSigns sees nothing in %s", (text) => {
  expect(findSigns(text, false)).toEqual([]);
});

it("no test sleeps, looks at the time that passed or is tried again, except those of the list", () => {
  const found = files.map(
    (file) => [file, findSigns(readFileSync(file, "utf8"), /\.(?:tsx?|mjs)$/.test(file))] as const,
  );
  const expected = new Map(allowed.map(([file, may]) => [file, may]));
  const different = found
    .map(([file, has]) => ({ file, has: [...has].sort(), may: [...(expected.get(file) ?? [])].sort() }))
    .filter(({ has, may }) => has.join() !== may.join());
  expect(different).toEqual([]);
  expect(allowed.filter(([file]) => !files.includes(file)).map(([file]) => file)).toEqual([]);
});
