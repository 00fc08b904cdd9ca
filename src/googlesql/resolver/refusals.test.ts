import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { dumpOf, errorsOf, namesOf } from "./testing/resolved.ts";

interface Refused {
  readonly query: string;
  /** `code at "text": message`. */
  readonly errors: readonly string[];
  /** What each is about: a name as the query spells it, or null. */
  readonly names: readonly (string | null)[];
}

/** A query just within what is allowed. */
interface Allowed {
  readonly query: string;
  readonly resolved: readonly string[];
}

function read<Case extends { readonly query: string }>(name: string): readonly (readonly [string, Case])[] {
  const text = readFileSync(new URL(`testing/${name}.json`, import.meta.url), "utf8");
  return (JSON.parse(text) as readonly Case[]).map((item) => [item.query, item]);
}

describe("the resolver", () => {
  it.each(read<Refused>("refusals"))("refuses %s, says why and where", (query, { errors, names }) => {
    expect(errorsOf(query)).toEqual(errors);
    expect(namesOf(query)).toEqual(names);
  });

  it.each(read<Allowed>("limits"))("takes %s", (query, { resolved }) => {
    expect(dumpOf(query).split("\n")).toEqual(resolved);
  });
});
