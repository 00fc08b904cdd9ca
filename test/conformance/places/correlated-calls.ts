import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeCause, toEngineError } from "../../../src/engines/duckdb/driver/driver-error.ts";
import { GoogleSqlError } from "../../../src/googlesql/diagnostic.ts";
import { subjectsWithoutArguments } from "../../security/tables/oracle-arguments.ts";
import { sampleOf } from "../../support/sample-size.ts";
import { type CorrelatedPlace, correlatedPlaces } from "./correlated-places.ts";
import { openPlacedCalls, type PlacedCall, type PlacedCalls, plainQuery } from "./placed-calls.ts";

/** Calls whose result differs each time. */
const VOLATILE = /^(?:CURRENT_|RAND|GENERATE_UUID)/;

type Outcome = { readonly cell: unknown } | { readonly failure: string; readonly isInternal: boolean };

async function ask(calls: PlacedCalls, text: string): Promise<Outcome> {
  try {
    const [row] = (await calls.run(text)) as readonly (readonly unknown[])[];
    return { cell: row?.[0] };
  } catch (error) {
    // A call that runs outside of a sub-query is refused in none.
    if (error instanceof GoogleSqlError) return { failure: error.message, isInternal: true };
    const translated = toEngineError(error);
    return { failure: describeCause(translated), isInternal: translated.code === "internal" };
  }
}

/**
 * The fault of a call in a place; undefined if it returns the same as without a sub-query, or fails as
 * a query may.
 */
async function findFault(
  calls: PlacedCalls,
  call: PlacedCall,
  place: CorrelatedPlace,
  plain: Outcome | undefined,
): Promise<string | undefined> {
  const text = place.print(call.print);
  const found = await ask(calls, text);
  const where = `${call.name} in ${place.name}: ${text}`;
  if ("failure" in found) {
    if (found.isInternal) return `${where}\n${found.failure}`;
    return plain === undefined || "failure" in plain ? undefined : `${where}\nfails: ${found.failure}`;
  }
  if (plain === undefined || "failure" in plain || VOLATILE.test(call.name)) return undefined;
  const expected = place.gives === "value" ? plain.cell : plain.cell === null;
  if (JSON.stringify(found.cell) === JSON.stringify(expected)) return undefined;
  return `${where}\n${JSON.stringify(found.cell)} instead of ${JSON.stringify(expected)}`;
}

/**
 * Tests everything that the catalogue can call, in places that read columns of an outer query. If `isBrief`,
 * a part of the functions, each in one place, and only whether it runs; otherwise each shape of a call in all places, with the
 * result that it has outside.
 */
export function testCorrelatedCalls({ isBrief }: { readonly isBrief: boolean }): void {
  describe("a call in a correlated sub-query", () => {
    let calls: PlacedCalls;
    beforeAll(async () => {
      calls = await openPlacedCalls({ isBrief });
    }, 600_000);
    afterAll(() => calls.close());

    it("exists for everything that a query can call", () => {
      const isCast = (name: string) => name.startsWith("CAST ");
      expect(calls.uncalled.filter((name) => !isCast(name))).toEqual([...subjectsWithoutArguments]);
    });

    it("runs on the engine, and returns the same as outside", { timeout: 1_800_000 }, async () => {
      const faults: string[] = [];
      const entries = [...calls.calls.entries()];
      for (const [index, call] of isBrief ? sampleOf(entries, 0.2) : entries) {
        const places = correlatedPlaces[call.kind];
        const chosen = isBrief ? places.filter((_, position) => position === index % places.length) : places;
        const plain = isBrief ? undefined : await ask(calls, plainQuery(call));
        for (const place of chosen) {
          const fault = await findFault(calls, call, place, plain);
          if (fault !== undefined) faults.push(fault);
        }
      }
      expect(faults).toEqual([]);
    });
  });
}
