import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { dumpOf, errorsOf } from "./testing/resolved.ts";

interface Refused {
  readonly query: string;
  /** `code at "text": message`. */
  readonly errors: readonly string[];
}

/** A query just within what is allowed. */
interface Allowed {
  readonly query: string;
  readonly resolved: readonly string[];
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`testing/${name}.json`, import.meta.url), "utf8"));
}

describe("the resolver", () => {
  it.each(read("refusals") as readonly Refused[])("refuses $query, says why and where", ({ query, errors }) => {
    expect(errorsOf(query)).toEqual(errors);
  });

  it.each(read("limits") as readonly Allowed[])("takes $query", ({ query, resolved }) => {
    expect(dumpOf(query).split("\n")).toEqual(resolved);
  });
});
