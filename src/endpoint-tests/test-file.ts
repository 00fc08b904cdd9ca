import { type Static, Type } from "typebox";
import { parseCheckedYaml, type TextProblem } from "../shared/documents/checked-yaml.ts";
import { findNearest } from "../shared/documents/nearest.ts";
import { errorCatalogue } from "../shared/error-catalogue.ts";
import { parseIsoTimestamp } from "../values/iso-timestamp.ts";

const scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]);
const Row = Type.Record(Type.String(), Type.Unknown());
/** Events by source: inline, or the name of a file with one JSON object a line. */
const Given = Type.Record(
  Type.String(),
  Type.Union([Type.Array(Type.Record(Type.String(), Type.Unknown())), Type.String({ minLength: 1 })]),
);

const Expectation = Type.Object(
  {
    rows: Type.Optional(Type.Array(Row)),
    ignore: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
    any_order: Type.Optional(Type.Boolean()),
    count: Type.Optional(Type.Integer({ minimum: 0 })),
    error: Type.Optional(Type.String()),
    parameter: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

const TestCase = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    given: Type.Optional(Given),
    parameters: Type.Optional(Type.Record(Type.String(), scalar)),
    sql: Type.Optional(Type.String()),
    lql: Type.Optional(Type.String()),
    redact: Type.Optional(Type.Boolean()),
    now: Type.Optional(Type.String()),
    expect: Expectation,
  },
  { additionalProperties: false },
);

const TestFile = Type.Object(
  {
    given: Type.Optional(Given),
    now: Type.Optional(Type.String()),
    cases: Type.Array(TestCase, { minItems: 1 }),
  },
  { additionalProperties: false },
);

/** A file of tests, as it is written. */
export type TestFile = Static<typeof TestFile>;
export type TestCase = Static<typeof TestCase>;
export type Expectation = Static<typeof Expectation>;
export type Given = Static<typeof Given>;

/** A parsed file of tests, or all problems of its form. */
export type ParsedTestFile =
  | { readonly file: TestFile; readonly offsetOf: (path: readonly string[]) => number }
  | { readonly problems: readonly TextProblem[] };

type Report = (path: readonly string[], message: string) => void;

/**
 * Reads the tests of an endpoint, whose callers may send `parameters`, and checks all that can be checked without
 * running them.
 */
export function parseTestFile(
  text: string,
  parameters: readonly string[],
  sourceNames: readonly string[],
): ParsedTestFile {
  const checked = parseCheckedYaml(text, TestFile);
  if (!checked.isValid) return { problems: checked.problems };
  const { value: file, offsetOf } = checked;
  const problems: TextProblem[] = [];
  const report: Report = (path, message) =>
    problems.push({ message: `${path.join(".")}: ${message}`, offset: offsetOf(path) });
  const known = [...parameters, "limit"];
  checkGiven(file.given, ["given"], sourceNames, report);
  checkNow(file.now, ["now"], report);
  const names = new Set<string>();
  for (const [index, test] of file.cases.entries()) {
    const at = ["cases", String(index)];
    if (names.has(test.name)) report([...at, "name"], "another case has this name");
    names.add(test.name);
    checkGiven(test.given, [...at, "given"], sourceNames, report);
    checkNow(test.now, [...at, "now"], report);
    for (const name of Object.keys(test.parameters ?? {})) {
      if (known.includes(name)) continue;
      const nearest = findNearest(name, known);
      const guess = nearest === undefined ? "" : `; did you mean ${nearest}?`;
      report([...at, "parameters", name], `the endpoint has no such parameter${guess}`);
    }
    checkExpectation(test.expect, [...at, "expect"], report);
  }
  return problems.length > 0 ? { problems } : { file, offsetOf };
}

function checkGiven(given: Given | undefined, at: readonly string[], sources: readonly string[], report: Report): void {
  for (const name of Object.keys(given ?? {})) {
    if (sources.includes(name)) continue;
    const nearest = findNearest(name, sources);
    report([...at, name], `there is no such source${nearest === undefined ? "" : `; did you mean ${nearest}?`}`);
  }
}

function checkNow(now: string | undefined, at: readonly string[], report: Report): void {
  if (now !== undefined && readInstant(now) === undefined) {
    report(at, "must be an ISO 8601 timestamp with a zone or Z, such as 2026-08-20T09:00:00Z");
  }
}

/** Microseconds since 1970 of a text that names an instant; undefined for any other. */
export function readInstant(text: string): bigint | undefined {
  const parsed = parseIsoTimestamp(text);
  return parsed?.hasZone === true ? parsed.us : undefined;
}

function checkExpectation(expect: Expectation, at: readonly string[], report: Report): void {
  const forms = [expect.rows, expect.count, expect.error].filter((form) => form !== undefined);
  if (forms.length !== 1) report(at, "says one of rows, count and error");
  if (expect.rows === undefined && (expect.ignore !== undefined || expect.any_order !== undefined)) {
    report(at, "ignore and any_order are about rows");
  }
  for (const [index, row] of (expect.rows ?? []).entries()) {
    for (const column of expect.ignore ?? []) {
      if (column in row) report([...at, "rows", String(index), column], "is a column that ignore leaves out");
    }
  }
  if (expect.error !== undefined && !Object.hasOwn(errorCatalogue, expect.error)) {
    report([...at, "error"], "there is no such error code; docs/errors.md lists them");
  }
  if (expect.parameter !== undefined && expect.error === undefined) report([...at, "parameter"], "is about an error");
}
