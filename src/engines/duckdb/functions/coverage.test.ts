import { describe, expect, it } from "vitest";
import { CATALOGUE } from "../../../googlesql/catalogue/index.ts";
import { aggregateFunctions, scalarFunctions, windowFunctions } from "./index.ts";

const tables = { scalar: scalarFunctions, aggregate: aggregateFunctions, window: windowFunctions };

describe("function tables", () => {
  it("compute every function of the catalogue that is not refused", () => {
    const missing = CATALOGUE.definitions
      .filter(({ refused, name, kind }) => refused === undefined && tables[kind][name] === undefined)
      .map(({ name }) => name);
    expect(missing).toEqual([]);
  });

  it("hold nothing that the catalogue does not", () => {
    const known = new Set(CATALOGUE.definitions.map(({ name, kind }) => `${kind} ${name}`));
    const unknown = Object.entries(tables).flatMap(([kind, table]) =>
      Object.keys(table)
        .filter((name) => name !== "$count_star" && !known.has(`${kind} ${name}`))
        .map((name) => `${kind} ${name}`),
    );
    expect(unknown).toEqual([]);
  });
});
