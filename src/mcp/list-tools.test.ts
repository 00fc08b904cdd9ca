import { describe, expect, it } from "vitest";
import { draftEndpoint } from "../endpoints/definition/draft-endpoint.ts";
import { toDefinition } from "../endpoints/definition/to-definition.ts";
import { findPage, pageSize } from "./list-page.ts";
import { findToolOf, listTools } from "./list-tools.ts";

const owner = { tokenId: "p", scopes: ["private"], pins: {}, budget: {}, redaction: "switchable" } as const;

const endpoints = Array.from({ length: 2 * pageSize + 1 }, (_, index) => {
  const number = String(index).padStart(12, "0");
  const header = { id: `6f0cf0a4-2f6e-4d0a-9a7b-${number}` };
  return draftEndpoint(toDefinition(header, `many.${number}`, "SELECT 1").definition);
});

describe("a list of thousands of tools", () => {
  it("has pages, of which the first has the tools for queries too, and together each tool once", () => {
    const names: string[] = [];
    const sizes: number[] = [];
    for (let cursor: string | undefined = ""; cursor !== undefined; ) {
      const page = listTools(endpoints, owner, cursor === "" ? undefined : cursor);
      names.push(...(page?.tools ?? []).map(({ name }) => name));
      sizes.push(page?.tools.length ?? 0);
      cursor = page?.nextCursor;
    }
    expect(sizes).toEqual([pageSize + 2, pageSize, 1]);
    expect(names).toEqual(["query", "patterns", ...endpoints.map(({ definition }) => definition.name)]);
  });

  it("continues behind the last name, also when that endpoint is gone", () => {
    const first = findPage(endpoints, undefined);
    const next = findPage(endpoints.toSpliced(pageSize - 1, 1), first?.nextCursor);
    expect(next?.endpoints[0]).toBe(endpoints[pageSize]);
    expect(findPage(endpoints.slice(0, pageSize), undefined)).toEqual({ endpoints: endpoints.slice(0, pageSize) });
  });

  it("knows no cursor but its own", () => {
    for (const cursor of ["", "x", "%", Buffer.from("after:").toString("base64url")])
      expect(listTools(endpoints, owner, cursor)).toBeUndefined();
  });

  it("finds each of them by its name", () => {
    for (const name of ["query", "patterns", "many.000000000500"])
      expect(findToolOf(endpoints, owner, name)?.name).toBe(name);
    expect(findToolOf(endpoints, owner, "none")).toBeUndefined();
  });
});
