import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GoogleSqlError } from "../../src/googlesql/diagnostic.ts";
import { cardinalities, type OracleBench, openOracleBench, oracleTables, textColumn } from "./oracle-bench.ts";
import { attackSubject, type Findings, type OracleCase, type OracleSubject, oracleSubjects } from "./oracle-cases.ts";
import { subjectsWithoutArguments, subjectsWithoutFailure } from "./tables/oracle-arguments.ts";
import { aggregatePlaces, type PlacedExpression, scalarPlaces, windowPlaces } from "./tables/oracle-places.ts";

export interface CatalogueOracleOptions {
  /** The sampling steps: for the catalogue's functions and casts, and for the places of each. */
  readonly everySubject: number;
  readonly everyPlace: number;
  /** Rows of the tables: the first for all, one of the others for some. */
  readonly rowCounts: readonly [number, ...number[]];
}

type Place = readonly [name: string, print: (placed: PlacedExpression) => string];

const placesOf: Readonly<Record<OracleSubject["kind"], readonly Place[]>> = {
  scalar: Object.entries(scalarPlaces),
  aggregate: Object.entries(aggregatePlaces),
  window: Object.entries(windowPlaces),
};

/**
 * The problem of the answers to a query; undefined when the caller's is the same with and without other projects' rows.
 */
async function findLeak(bench: OracleBench, rowCount: number, name: string, sql: string): Promise<string | undefined> {
  const { among, alone } = await bench.ask(rowCount, sql);
  if (among.isError === alone.isError && among.text === alone.text) return undefined;
  return `${name}: ${among.text.slice(0, 200)} instead of ${alone.text.slice(0, 200)}: ${sql}`;
}

/** Tries a case in one place, with the expression itself as key if its type can be one. */
async function tryPlace(
  bench: OracleBench,
  rowCount: number,
  [place, print]: Place,
  table: string,
  expression: string,
): Promise<readonly string[]> {
  for (const key of [expression, `((${expression}) IS NULL)`]) {
    try {
      const leak = await findLeak(bench, rowCount, `${place} of ${table}`, print({ table, expression, key }));
      return leak === undefined ? [] : [leak];
    } catch (error) {
      if (!(error instanceof GoogleSqlError) || key !== expression) throw error;
    }
  }
  return [];
}

/**
 * The tests of everything callable in the catalogue: failures for other projects' rows must not show in the caller's
 * answers.
 */
export function testCatalogueOracles({ everySubject, everyPlace, rowCounts }: CatalogueOracleOptions): void {
  describe("an expression that can fail for other projects' rows", () => {
    let bench: OracleBench;
    const subjects = oracleSubjects().filter((_, index) => index % everySubject === 0);
    const findings = new Map<OracleSubject, Findings>();

    beforeAll(async () => {
      bench = await openOracleBench(rowCounts);
      for (const subject of subjects) findings.set(subject, await attackSubject(bench, subject));
    }, 1_200_000);
    afterAll(() => bench.close());

    const cases = (): readonly OracleCase[] => [...findings.values()].flatMap((found) => found.cases);
    const names = (matches: (found: Findings) => boolean) =>
      subjects
        .filter((subject) => matches(findings.get(subject) ?? { cases: [], isCallable: true, isRefused: false }))
        .map(({ name }) => name);

    it("is known for each function, operator and cast, except those declared never to fail", () => {
      const isDeclared = (name: string) => subjectsWithoutFailure.has(name) && !subjectsWithoutArguments.has(name);
      const declared = subjects.filter(({ name }) => isDeclared(name)).map(({ name }) => name);
      expect(names(({ cases: found, isCallable }) => isCallable && found.length === 0)).toEqual(declared);
      const uncalled = subjects.filter(({ name }) => subjectsWithoutArguments.has(name)).map(({ name }) => name);
      const isCast = (name: string) => name.startsWith("CAST ");
      expect(names(({ isCallable }) => !isCallable).filter((name) => !isCast(name))).toEqual(uncalled);
      expect(names(({ isCallable, isRefused }) => !isCallable && !isRefused)).toEqual([]);
    });

    it("is not evaluated on them in any place, and SAFE reveals no NULL of them", { timeout: 1_800_000 }, async () => {
      const leaks: string[] = [];
      for (const [index, { kind, expression, safe }] of cases().entries()) {
        const places = placesOf[kind].filter((_, place) => (place + index) % everyPlace === 0);
        for (const [step, place] of places.entries()) {
          const column = textColumn(cardinalities[(index + step) % cardinalities.length]);
          const table = oracleTables[(index + step) % oracleTables.length] ?? "logs";
          leaks.push(...(await tryPlace(bench, rowCounts[0], place, table, expression(column))));
        }
        if (safe !== undefined) leaks.push(...(await trySafe(bench, rowCounts[0], index, safe)));
      }
      expect(leaks).toEqual([]);
    });

    it("is not evaluated on them in large tables", { timeout: 1_800_000 }, async () => {
      const leaks: string[] = [];
      const [, ...larger] = rowCounts;
      for (const [index, { kind, expression }] of cases().entries()) {
        const rowCount = index % 5 === 0 ? larger[(index / 5) % larger.length] : undefined;
        const place = placesOf[kind][index % placesOf[kind].length];
        if (rowCount === undefined || place === undefined) continue;
        const column = textColumn(cardinalities[index % 4]);
        leaks.push(...(await tryPlace(bench, rowCount, place, "logs", expression(column))));
      }
      expect(leaks).toEqual([]);
    });
  });
}

/** SAFE must return the same for the caller's rows, whatever others' rows contain. */
async function trySafe(
  bench: OracleBench,
  rowCount: number,
  index: number,
  safe: (column: string) => string,
): Promise<readonly string[]> {
  const column = textColumn(cardinalities[index % cardinalities.length]);
  try {
    const leak = await findLeak(bench, rowCount, "SAFE", `SELECT COUNT(${safe(column)}), COUNT(*) FROM logs`);
    return leak === undefined ? [] : [leak];
  } catch (error) {
    // Not every function has this form.
    if (error instanceof GoogleSqlError) return [];
    throw error;
  }
}
