import fc from "fast-check";
import { expect, it } from "vitest";
import type { Source } from "../../src/sources/source.ts";
import { readSource } from "../../src/sources/source-changes.ts";
import { showSource } from "../../src/sources/source-document.ts";
import { newSource, readSourceDraft, type SourceDraft, toSourceChange } from "./source-draft.ts";

const surroundings = { sources: [], isEndpoint: () => false };

/** The source that the service makes of a document, or changes one to. */
function store(document: object, before?: Source): Source {
  const read = readSource(document as Readonly<Record<string, unknown>>, surroundings, before, before !== undefined);
  if ("problems" in read) throw new Error(JSON.stringify(read.problems));
  return { ...read.source, origin: { kind: "api" } };
}

const days = fc.constantFrom("", "7", "0.5", "365");
const draftOf = fc
  .record({
    name: fc.constant("shop"),
    description: fc.constantFrom("", "what is sold"),
    tenant: fc.constantFrom("", "project", "metadata.team"),
    days,
    tenantDays: fc.constantFrom("", "acme: 7", "a:b: 30\n\n zoë corp : 1.5"),
    aliases: fc.constantFrom("", "carts", "carts, baskets"),
    fields: fc.constantFrom("", "n INT64", "metadata.cost float64\nis_paid BOOL"),
  })
  .map((draft): SourceDraft => (draft.tenant === "" ? { ...draft, tenantDays: "" } : draft));

it("sends sources that the service takes, and shows them as they were typed", () => {
  fc.assert(
    fc.property(draftOf, (draft) => {
      const stored = store({ name: draft.name, ...toSourceChange(draft) });
      const shown = readSourceDraft(showSource(stored));
      expect(toSourceChange({ ...shown, description: draft.description })).toEqual(toSourceChange(draft));
    }),
  );
});

it("changes everything but the name and the kind, and clears what is empty", () => {
  fc.assert(
    fc.property(draftOf, draftOf, (before, after) => {
      const stored = store({ name: "shop", kind: "special", ...toSourceChange(before) });
      const changed = store(toSourceChange(after), stored);
      expect(changed.kind).toBe("special");
      expect(readSourceDraft(showSource(changed))).toMatchObject({
        days: after.days,
        tenant: after.tenant,
        aliases: after.aliases,
      });
    }),
  );
});

it.each([
  [{ days: "0" }, "days are a number above 0"],
  [{ days: "soon" }, "days are a number above 0"],
  [{ tenantDays: "acme" }, "write a tenant, a colon and days"],
  [{ tenantDays: "acme:" }, "days are a number above 0"],
  [{ fields: "status" }, "write a path and"],
  [{ fields: "status NUMBER" }, "write a path and"],
])("refuses %j with words", (part, words) => {
  expect(() => toSourceChange({ ...newSource, ...part })).toThrow(words);
});
