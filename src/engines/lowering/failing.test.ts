import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readCorpus, readFamilies } from "../../../test/conformance/own-cases.ts";
import { compileText, resolveOver } from "../../../test/support/engines/duckdb/compile/compile-text.ts";
import { sampleOf } from "../../../test/support/sample-size.ts";
import { functionFacts } from "../../googlesql/catalogue/index.ts";
import { someScanned } from "../../googlesql/resolved/walk.ts";
import type { AnyExpr } from "../../googlesql/resolved.ts";
import { computesFailing } from "./failing.ts";

const failures = new URL("../../../test/support/engines/duckdb/functions/failures.json", import.meta.url);
const written = JSON.parse(readFileSync(failures, "utf8")) as readonly {
  readonly query: string;
  readonly error?: string;
}[];
const cases = [...written, ...[...readCorpus(), ...readFamilies()].flatMap((file) => file.cases)];

/** Whether it is compiled, so that only its run shows the failure. */
function isCompiled(query: string): boolean {
  try {
    return compileText(query).sql !== "";
  } catch {
    return false;
  }
}

/** Whether a constant may be what is wrong, which an engine reads before it runs the query, and so for all rows. */
function readsConstants(query: string): boolean {
  const decides = (at: AnyExpr) =>
    at.kind === "Call" && functionFacts(at.function).fallibility?.some((each) => typeof each === "number") === true;
  // Lists of lists, and lists of different lengths, fail for what the query says too.
  return /@|ARRAY_AGG|STRICT/.test(query) || someScanned(resolveOver(query).scan, decides);
}

it("every query that fails when it runs holds something that may fail", () => {
  const failing = sampleOf(cases, 0.2).filter(({ query, error }) => error !== undefined && isCompiled(query));
  expect(failing.length).toBeGreaterThan(10);
  const missed = failing.filter(({ query }) => !computesFailing(resolveOver(query).scan) && !readsConstants(query));
  expect(missed.map(({ query }) => query)).toEqual([]);
});
