import fc from "fast-check";
import { expect, it } from "vitest";
import type { Backend } from "../../src/drains/backend.ts";
import { readBackend, showBackend } from "../../src/drains/backend-document.ts";
import {
  type BackendDraft,
  backendFields,
  backendTypes,
  newBackend,
  readBackendDraft,
  toBackendDocument,
} from "./backend-draft.ts";

/** The destination that the service stores for a document. */
function store(document: object, before?: Backend): Backend {
  const read = readBackend(document as Readonly<Record<string, unknown>>, before);
  if ("problems" in read) throw new Error(JSON.stringify(read.problems));
  return { id: "b", createdAtMs: 0, updatedAtMs: 0, ...read.draft } as Backend;
}

const draftOf = fc
  .record({
    name: fc.stringMatching(/^[a-z]{1,8}$/),
    description: fc.constantFrom("", "a text"),
    type: fc.constantFrom(...backendTypes),
    headers: fc.constantFrom("", "Authorization: Bearer abc", "X-A: b: c\nX-D: e"),
    isCompressed: fc.boolean(),
    isFull: fc.boolean(),
  })
  .map(({ isFull, ...draft }): BackendDraft => {
    const needed = ["url", "access_key_id", "secret_access_key"];
    const names = backendFields[draft.type].map(({ name }) => name).filter((name) => isFull || needed.includes(name));
    return { ...draft, config: Object.fromEntries(names.map((name) => [name, textFor(name)])) };
  });
const textFor = (name: string) => (name === "url" ? "https://example.com/a" : `value-of-${name}`);

it("sends destinations that the service takes, of every type and field", () => {
  fc.assert(
    fc.property(draftOf, (draft) => {
      const stored = store(toBackendDocument(draft));
      const { headers, gzip, ...config } = stored.config;
      expect({ ...stored, config }).toMatchObject({ name: draft.name, type: draft.type, config: draft.config });
      expect(gzip).toBe(draft.isCompressed);
      expect(Object.keys(headers)).toHaveLength(draft.headers.split("\n").filter((line) => line !== "").length);
    }),
  );
});

it("keeps the secrets of a destination that is changed, though it shows none of them", () => {
  fc.assert(
    fc.property(draftOf, (draft) => {
      const stored = store(toBackendDocument(draft));
      const shown = readBackendDraft(showBackend(stored));
      expect(JSON.stringify(shown)).not.toMatch(/Bearer abc|value-of-(?:password|secret_access_key|token)/);
      expect(store(toBackendDocument({ ...shown, name: "other" }), stored)).toEqual({ ...stored, name: "other" });
    }),
  );
});

it("leaves out the fields of another type that was chosen before", () => {
  const draft = {
    ...newBackend,
    name: "a",
    type: "webhook",
    config: { url: "https://example.com/", token: "t" },
  } as const;
  expect(toBackendDocument(draft).config).not.toHaveProperty("token");
});

it.each(["Authorization", "a b: c", ": c", "A:"])("refuses %j as a header", (headers) => {
  expect(() => toBackendDocument({ ...newBackend, headers })).toThrow("A header is no line");
});
