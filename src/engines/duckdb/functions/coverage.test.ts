import { describe, expect, it } from "vitest";
import { CATALOGUE } from "../../../googlesql/catalogue/index.ts";
import { hasCanonicalForm } from "../../../googlesql/resolver/call/canonical.ts";
import { aggregateFunctions, scalarFunctions, windowFunctions } from "./index.ts";

const tables = { scalar: scalarFunctions, aggregate: aggregateFunctions, window: windowFunctions };

describe("the function tables", () => {
  it("contain every function of the catalogue that is not refused", () => {
    const missing = CATALOGUE.definitions
      .filter(({ refused, name, kind }) => refused === undefined && tables[kind][name] === undefined)
      .flatMap(({ name }) => (hasCanonicalForm(name) ? [] : [name]));
    expect(missing).toEqual([]);
  });

  it("contain no function that the catalogue lacks", () => {
    const known = new Set(CATALOGUE.definitions.map(({ name, kind }) => `${kind} ${name}`));
    const unknown = Object.entries(tables).flatMap(([kind, table]) =>
      Object.keys(table)
        .filter((name) => name !== "$count_star" && !known.has(`${kind} ${name}`))
        .map((name) => `${kind} ${name}`),
    );
    expect(unknown).toEqual([]);
  });
});
