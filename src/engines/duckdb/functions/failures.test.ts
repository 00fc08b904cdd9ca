import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EdgeDatabase, openEdgeDatabase } from "../compile/testing/compile-text.ts";

interface Case {
  readonly query: string;
  readonly rows?: readonly unknown[];
  /** The whole message, which a caller reads. */
  readonly error?: string;
}

function read(name: string): readonly (readonly [string, Case])[] {
  const text = readFileSync(new URL(`testing/${name}.json`, import.meta.url), "utf8");
  return (JSON.parse(text) as readonly Case[]).map((item) => [item.query, item]);
}

describe("a function", () => {
  let edge: EdgeDatabase;
  beforeAll(async () => {
    edge = await openEdgeDatabase();
  });
  afterAll(() => edge.database.close());

  it.each(read("edges"))("answers at the edge of what it takes: %s", async (query, { rows }) => {
    expect(await edge.rows(query)).toEqual(rows);
  });

  it.each(read("failures"))("fails in words that say why: %s", async (query, { error }) => {
    const failure = await (async () => edge.rows(query))().catch((reason: unknown) => reason);
    expect(failure).toBeInstanceOf(Error);
    expect(failure instanceof Error && failure.message.replace("Invalid Input Error: ", "")).toBe(error);
  });
});
