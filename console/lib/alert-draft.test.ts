/// <reference types="node" />
import fc from "fast-check";
import { expect, it } from "vitest";
import { readAlert } from "../../src/alerts/alert-document.ts";
import { type AlertDraft, newAlert, readAlertDraft, toAlertDocument } from "./alert-draft.ts";

const readers = { findBackend: () => ({ id: "b" }) };

/** The form that the service stores for a document, or its problems. */
function store(document: Readonly<Record<string, unknown>>, before?: Readonly<Record<string, unknown>>) {
  const read = readAlert(document, readers, before as never);
  if ("problems" in read) throw new Error(JSON.stringify(read.problems));
  return read.form as unknown as Readonly<Record<string, unknown>>;
}

const name = fc.stringMatching(/^[a-z]{1,8}$/);
const length = fc.constantFrom("", "30s", "5m", "2h");
const draftOf = fc
  .record({
    name,
    description: fc.constantFrom("", "a text"),
    query: fc.constantFrom(
      { kind: "sql" as const, text: "SELECT 1 AS n" },
      { kind: "lql" as const, text: "m.status:>=500" },
      { kind: "endpoint" as const, text: "logs.all" },
    ),
    parameters: fc.constantFrom("", '{"project":"p","limit":5}'),
    schedule: fc.constantFrom({ every: "1m", cron: "", zone: "" }, { every: "", cron: "*/7 * * * *", zone: "UTC" }),
    condition: fc.constantFrom(
      { column: "", op: ">=", value: "", firesOnMissing: false },
      { column: "n", op: ">=", value: "10", firesOnMissing: true },
      { column: "n", op: "=", value: '"10"', firesOnMissing: false },
      { column: "n", op: "!=", value: "a b", firesOnMissing: false },
      { column: "n", op: "<", value: "-1.5e3", firesOnMissing: false },
    ),
    for: length,
    groupBy: fc.constantFrom("", "path", "path, method"),
    severity: fc.constantFrom("info", "warning", "critical"),
    message: fc.constantFrom("", "{{n}} of {{path}}"),
    remind: length,
    notify: fc.constantFrom([], ["b"], ["b", { type: "webhook", url: "https://example.com/x" }]),
    isEnabled: fc.boolean(),
  })
  .map(({ query, schedule, condition, ...rest }): AlertDraft => ({ ...rest, ...query, ...schedule, ...condition }));

/** Drafts that mean the same. */
function normalise(draft: AlertDraft) {
  const parameters = draft.parameters === "" ? "" : JSON.stringify(JSON.parse(draft.parameters));
  return { ...draft, parameters, value: draft.column === "" ? "" : draft.value.replace("-1.5e3", "-1500") };
}

it("sends alerts that the service takes, and reads them back as they were", () => {
  fc.assert(
    fc.property(draftOf, (draft) => {
      const stored = store(toAlertDocument(draft, false));
      expect(normalise(readAlertDraft(stored))).toEqual(normalise(draft));
    }),
  );
});

it("changes any alert into any other, with nothing of the first left", () => {
  fc.assert(
    fc.property(draftOf, draftOf, (before, after) => {
      const changed = store(toAlertDocument(after, true), store(toAlertDocument(before, false)));
      expect(normalise(readAlertDraft(changed))).toEqual(normalise(after));
    }),
  );
});

it("retains what the form does not show: destinations of the reference's form", () => {
  const before = store({
    name: "old",
    query: "SELECT 1",
    language: "bq_sql",
    cron: "*/10 * * * *",
    webhook_notification_url: "https://example.com/x",
  });
  const draft = readAlertDraft(before);
  expect(draft).toMatchObject({ kind: "sql", text: "SELECT 1", cron: "*/10 * * * *", every: "" });
  const changed = store(toAlertDocument({ ...draft, name: "new" }, true), before);
  expect(changed).toMatchObject({ name: "new", sql: "SELECT 1", webhook_notification_url: "https://example.com/x" });
  expect(changed).not.toHaveProperty("query");
});

it("offers a new alert that the service takes once it has a name", () => {
  expect(store(toAlertDocument({ ...newAlert, name: "a" }, false))).toMatchObject({ every: "1m", severity: "warning" });
});

it.each(["[1]", "1", "null", "{", '"a"'])("refuses the parameters %s", (parameters) => {
  expect(() => toAlertDocument({ ...newAlert, parameters }, false)).toThrow("The parameters are no JSON object");
});
