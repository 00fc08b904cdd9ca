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

function readText(name: string): string {
  return readFileSync(new URL(`testing/${name}.json`, import.meta.url), "utf8");
}

function read<Case extends { readonly query: string }>(name: string): readonly (readonly [string, Case])[] {
  return (JSON.parse(readText(name)) as readonly Case[]).map((item) => [item.query, item]);
}

/** Is it one error, about the unknown column or table `nope`? */
function isOfNope([error, ...others]: readonly string[]): boolean {
  return others.length === 0 && /^unknown_(?:column|table) at "nope": /.test(error ?? "");
}

describe("the resolver", () => {
  it.each(read<Refused>("refusals"))("refuses %s, says why and where", (query, { errors, names }) => {
    expect(errorsOf(query)).toEqual(errors);
    expect(namesOf(query)).toEqual(names);
  });

  it.each([...read<Allowed>("limits"), ...read<Allowed>("resolutions")])("takes %s", (query, { resolved }) => {
    expect(dumpOf(query).split("\n")).toEqual(resolved);
  });

  it("reports a name that does not exist once, wherever it stands and whatever is done with its value", () => {
    const queries = JSON.parse(readText("mistakes")) as readonly string[];
    const wrong = queries.map((query) => [query, errorsOf(query)] as const).filter(([, errors]) => !isOfNope(errors));
    expect(wrong).toEqual([]);
  });
});
