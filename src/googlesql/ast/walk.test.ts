import { describe, expect, it } from "vitest";
import { SYNTAX_CORPUS } from "../../../test/support/googlesql/tables/syntax-corpus.ts";
import type { Node } from "../ast.ts";
import { parseQuery } from "../parse.ts";
import { nodesOf } from "./walk.ts";

type Kind = Parameters<typeof nodesOf>[1];
type Found = Node & { readonly kind: Kind };

/** Every node with a kind and a place, found by the text of the tree. */
function allNodes(root: unknown): readonly Found[] {
  const found: Found[] = [];
  JSON.stringify(root, (_, value) => {
    if (value?.kind !== undefined && value.span !== undefined) found.push(value);
    return value;
  });
  return found;
}

describe("the walk over the syntax tree", () => {
  it.each(SYNTAX_CORPUS)("finds every node, each once: %s", (text) => {
    const query = parseQuery(text);
    const nodes = allNodes(query);
    for (const kind of new Set(nodes.map((node) => node.kind))) {
      const found: readonly object[] = nodesOf(query, kind);
      const expected = nodes.filter((node) => node.kind === kind);
      expect(found).toHaveLength(expected.length);
      expect(new Set(found)).toEqual(new Set(expected));
    }
  });

  it("gives nodes in the order of the text", () => {
    const query = parseQuery("WITH t AS (SELECT @c) SELECT @b, (SELECT @a FROM t) FROM t WHERE @d LIMIT @e");
    expect(nodesOf(query, "Parameter").map(({ name }) => name)).toEqual(["c", "b", "a", "d", "e"]);
    expect(nodesOf(query, "TableReference").map(({ span }) => span.start)).toEqual([49, 57]);
  });

  it("goes down a chain of any length", () => {
    const query = parseQuery(`SELECT ${"@a AND ".repeat(4_000)}@b`);
    expect(nodesOf(query, "Parameter")).toHaveLength(4_001);
  });
});
