import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { embeddedOnly, sampledTests, testsWithoutEngine } from "../../vitest.suites.ts";

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
  .split("\n")
  .filter((file) => file !== "");
const sources = files.filter((file) => /^(?:src|console)\/.*\.tsx?$/.test(file));

function read(file: string): string {
  return readFileSync(file, "utf8");
}

describe("the house's rules", () => {
  it("keep every source file within 400 lines, except tables of data and tests", () => {
    const long = sources
      .filter((file) => !/\/tables\/|\.test\.tsx?$/.test(file))
      .map((file) => ({ file, lines: read(file).split("\n").length - 1 }))
      .filter(({ lines }) => lines > 400);
    expect(long).toEqual([]);
  });

  it("end lines by column 120, except long texts, patterns and lists of names", () => {
    const long = sources
      .filter((file) => file.startsWith("src/") && !/\/tables\/|\.test\.ts$|\.long\.ts$|generated/.test(file))
      .flatMap((file) =>
        read(file)
          .split("\n")
          .filter(
            (line) => line.length > 120 && !/(["'`/]).{40,}\1|`.{40,}\$\{|^[\w ]+$|biome-ignore|^ +[A-Z]/.test(line),
          )
          .map((line) => `${file}: ${line.trim()}`),
      );
    expect(long).toEqual([]);
  });

  it("begin documentation with what a symbol does or is: a verb or a noun, not a relative clause or a genitive", () => {
    const pattern = /\/\*\*\s*(?:\*\s*)?(?:What|Of)\b.*/g;
    const clauses = files
      .filter((file) => /\.(?:ts|tsx|mjs)$/.test(file))
      .flatMap((file) => [...read(file).matchAll(pattern)].map(([text]) => `${file}: ${text}`));
    expect(clauses).toEqual([]);
  });

  it.each([
    ["@duckdb/node-api", "src/engines/duckdb/"],
    ["@clickhouse/client", "src/engines/clickhouse/"],
    ["libsql", "src/metadata/"],
    ["pg", "src/metadata/"],
    ["commander", "src/cli/"],
    ["pino", "src/http/"],
  ])("import the driver %s below %s in one file only", (driver, room) => {
    const importing = sources.filter(
      (file) => new RegExp(`from "${driver}"`).test(read(file)) && !file.endsWith(".test.ts"),
    );
    expect(importing).toHaveLength(1);
    expect(importing[0]?.startsWith(room)).toBe(true);
  });

  it("give every room of src/ a README", () => {
    const rooms = new Set(
      sources.filter((file) => file.startsWith("src/") && file.split("/").length > 2).map((file) => file.split("/")[1]),
    );
    const missing = [...rooms].filter((room) => !files.includes(`src/${room}/README.md`));
    expect(missing).toEqual([]);
  });

  it("read the environment in one file only", () => {
    const reading = sources.filter((file) => /process\.env/.test(read(file)) && !file.endsWith(".test.ts"));
    expect(reading).toEqual(["src/config/config.ts"]);
  });

  it("let tests that sample values try more of them in the long suites", () => {
    const sampling = files.filter((file) => file.endsWith(".test.ts") && read(file).includes("sample-size.ts"));
    expect(sampling.filter((file) => !file.startsWith("test/house/"))).toEqual(sampledTests);
  });

  it("exclude one test, or group of tests, over ClickHouse for each name in its lists", () => {
    const texts = files
      .filter((file) => /^test\/(?:acceptance|security)\/[^/]+\.(?:test|long)\.ts$/.test(file))
      .map(read);
    const countOf = (name: string) => texts.join("\n").split(new RegExp(`(?:it|describe)\\("${name}`)).length - 1;
    const names = [...embeddedOnly, ...testsWithoutEngine];
    expect(names.map((name) => [name, countOf(name)])).toEqual(names.map((name) => [name, 1]));
  });

  it("leave no test skipped or exclusive, and no suppression without a reason", () => {
    const pattern =
      /\b(?:it|test|describe)\.(?:skip|only|todo)\b|@ts-(?:ignore|nocheck)|biome-ignore [\w/]+\s*(?::\s*)?$/m;
    const guilty = files.filter(
      (file) => /\.(ts|mjs)$/.test(file) && file !== "test/house/house-rules.test.ts" && pattern.test(read(file)),
    );
    expect(guilty).toEqual([]);
  });
});
