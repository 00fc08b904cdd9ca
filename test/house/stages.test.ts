import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { parse } from "yaml";
import { describeFailures, describeResults, runStages } from "../../.ci/run-stages.mjs";
import { nightlyStages, type Stage, stages } from "../../.ci/stages.mjs";
import { leftToStages, type Suite, suites } from "../../vitest.suites.ts";

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" });

it.each([
  ["ci", stages],
  ["nightly", nightlyStages],
] as const)("the workflow %s runs every stage, each as a job after the installation", (workflow, all) => {
  const { jobs } = parse(readFileSync(`.github/workflows/${workflow}.yml`, "utf8")) as {
    jobs: { stage: { strategy: { matrix: { stage: readonly string[] } } } };
  };
  expect(all[0]?.name).toBe("install");
  const isJob = ({ name }: Stage) => !["install", "programs"].includes(name);
  expect(jobs.stage.strategy.matrix.stage).toEqual(all.filter(isJob).map(({ name }) => name));
});

/** The names of suites that stages run. */
function namesOfSuites(all: readonly Stage[]): readonly string[] {
  return all.flatMap(({ command }) => [...command.matchAll(/LOGWEIR_SUITE=(\S+)/g)].map(([, name]) => name ?? ""));
}

it("stages call scripts and suites that exist, and each suite is called or the one of npm test", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
  const text = [...stages, ...nightlyStages].map(({ command }) => command).join("\n");
  const called = [...text.matchAll(/npm run -s ([\w:]+)/g)].map(([, name]) => name ?? "");
  expect(called.length).toBeGreaterThan(10);
  expect(called.filter((name) => scripts[name] === undefined)).toEqual([]);
  expect(new Set([...namesOfSuites([...stages, ...nightlyStages]), "short"])).toEqual(new Set(Object.keys(suites)));
});

// Folders of any depth, any name, and any name but some are all that patterns of suites use.
function pathPattern(glob: string): RegExp {
  const text = glob
    .replaceAll(".", "\\.")
    .replaceAll(/!\(([^)]*)\)/g, "(?!(?:$1)\\.)[^/]+")
    .replaceAll(/\{([^}]*)\}/g, (_, names: string) => `(?:${names.replaceAll(",", "|")})`)
    .replaceAll("**/", "(?:.+/)?")
    .replaceAll(/(?<!\))\*/g, "[^/]*");
  return new RegExp(`^${text}$`, "m");
}

it("suites are files that there are", () => {
  const globs = Object.values(suites).flatMap(({ include, exclude = [] }: Suite) => [...include, ...exclude]);
  expect(globs.filter((glob) => !pathPattern(glob).test(files))).toEqual([]);
});

it("what npm test leaves out runs in a stage, by itself or as its long form", () => {
  const tried = namesOfSuites(stages).map((name) => {
    const { include, exclude = [] }: Suite = suites[name as keyof typeof suites];
    const [chosen, left] = [include, exclude].map((globs) => globs.map(pathPattern));
    return (path: string) => chosen?.some((each) => each.test(path)) && !left?.some((each) => each.test(path));
  });
  const isTried = (path: string) => tried.some((suite) => suite(path));
  const leftOut = files.split("\n").filter((path) => leftToStages.some((glob) => pathPattern(glob).test(path)));
  expect(leftOut.length).toBeGreaterThan(50);
  expect(leftOut.filter((path) => !isTried(path) && !isTried(path.replace(".test.ts", ".long.ts")))).toEqual([]);
});

const stage = (name: string, command: string, more: Partial<Stage> = {}): Stage => ({
  name,
  finds: "",
  command,
  limitSeconds: 60,
  ...more,
});

/** Returns the outcome of each stage of a run and what is told of failures, without their output. */
async function runSilently(all: readonly Stage[], rows: number) {
  const silent = [vi.spyOn(console, "log"), vi.spyOn(process.stdout, "write")].map((each) =>
    each.mockImplementation(() => true as never),
  );
  const results = await runStages(all, process.env, rows);
  for (const each of silent) each.mockRestore();
  return { problems: results.map(({ name, problem }) => [name, problem]), failures: describeFailures(results) };
}

it.each([1, 2])("a run of %i at a time goes on after failures, and tells what each stage came to", async (rows) => {
  const { problems, failures } = await runSilently(
    [
      stage("right", "exit 0"),
      stage("wrong", "false; true"),
      stage("late", "sleep 60 & wait", { limitSeconds: 0.2 }),
      stage("piped", "false | true"),
      stage("long", "seq 1 100; exit 3"),
    ],
    rows,
  );
  expect(Object.fromEntries(problems)).toEqual({
    right: undefined,
    wrong: "ended with 1",
    late: "not over after 0.2 s",
    piped: "ended with 1",
    long: "ended with 3",
  });
  if (rows === 1) expect(failures).toBe("");
  else expect(failures).toMatch(/^\n== long, its last lines\n71\n(?:\d+\n)*100$/);
});

it("stages of two rows run beside each other", async () => {
  const folder = mkdtempSync(join(tmpdir(), "logweir-rows-"));
  const [there, back] = ["there", "back"].map((name) => join(folder, name));
  execFileSync("sh", ["-c", `mkfifo ${there} ${back}`]);
  const { problems } = await runSilently(
    [stage("asks", `echo > ${there}; read -r < ${back}`), stage("answers", `read -r < ${there}; echo > ${back}`)],
    2,
  );
  rmSync(folder, { recursive: true });
  expect(problems.map(([, problem]) => problem)).toEqual([undefined, undefined]);
});

it("a stage waits for those it needs, and is not tried after one of them that failed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "logweir-needs-"));
  const [made, begun] = ["made", "begun"].map((name) => join(folder, name));
  execFileSync("mkfifo", [begun ?? ""]);
  const { problems: found } = await runSilently(
    [
      stage("reads", `cat ${made}`, { needs: ["makes", "of another run"] }),
      stage("never", "exit 0", { needs: ["fails"] }),
      stage("makes", `read -r < ${begun}; echo > ${made}`, { needs: [] }),
      stage("fails", `echo > ${begun}; exit 1`, { needs: [] }),
    ],
    2,
  );
  rmSync(folder, { recursive: true });
  expect(Object.fromEntries(found)).toEqual({ makes: undefined, reads: undefined, fails: "ended with 1" });
});

it("nothing is tried after an installation that failed", async () => {
  const { problems: found } = await runSilently([stage("install", "exit 1"), stage("test", "exit 0")], 2);
  expect(found).toEqual([["install", "ended with 1"]]);
});

it("a stage's line has its seconds and what was wrong", () => {
  const result = { name: "lint", problem: "ended with 1", seconds: 1.25, processorSeconds: 2.5, lastLines: [] };
  expect(describeResults([result])).toMatch(/^lint +1\.3 +2\.5 {2}ended with 1$/m);
});
