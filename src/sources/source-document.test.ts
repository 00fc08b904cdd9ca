import { describe, expect, it } from "vitest";
import { createAuditSource } from "./audit-source.ts";
import { type Source, sourceId } from "./source.ts";
import { showSource, toDocument, toSource } from "./source-document.ts";

const source: Source = {
  name: "shop",
  aliases: ["carts"],
  kind: "special",
  description: "what is sold",
  retentionDays: 3,
  knownFields: [{ path: "n", type: { kind: "INT64" } }],
};

describe("a source as the API shows it", () => {
  it("has its id by both names, and null for a retention without end", () => {
    const id = sourceId("shop");
    const shown = { id, token: id, name: "shop", aliases: ["carts"], kind: "special", description: "what is sold" };
    expect(showSource({ ...source, origin: { kind: "api" }, tenantField: "project" })).toStrictEqual({
      ...shown,
      tenant: "project",
      retention_days: 3,
      fields: { n: "INT64" },
      read_only: false,
    });
    expect(showSource({ ...source, retentionDays: undefined })).toStrictEqual({
      ...shown,
      retention_days: null,
      fields: { n: "INT64" },
      read_only: true,
    });
    expect(showSource({ ...source, origin: { kind: "service" } }).read_only).toBe(true);
  });
});

describe("a source's document", () => {
  it.each<Partial<Source>>([{}, { retentionDays: undefined, aliases: [], knownFields: [] }, { tenantField: "n" }])(
    "defines the same source: %j",
    (different) => {
      const knownFields = different.tenantField === undefined ? [] : [{ path: "n", type: { kind: "STRING" as const } }];
      const changed: Source = {
        ...source,
        ...(different.tenantField === undefined ? {} : { knownFields }),
        ...different,
      };
      expect(toSource(toDocument(changed), { kind: "api" }, "usual")).toStrictEqual({
        ...changed,
        origin: { kind: "api" },
      });
      expect("retention_days" in toDocument(changed)).toBe(changed.retentionDays !== undefined);
    },
  );
});

describe("the source of the audit", () => {
  it("is the service's own, with the fields of what was recorded, for as long as it is told", () => {
    const { knownFields, ...audit } = createAuditSource(90);
    expect(audit).toEqual({
      name: "logweir.audit",
      aliases: [],
      kind: "audit",
      description: "Who changed what, and who ran which endpoint; written by the service",
      retentionDays: 90,
      origin: { kind: "service" },
    });
    expect(knownFields).toHaveLength(21);
    const types = new Map(knownFields.map(({ path, type }) => [path, type]));
    expect(
      ["action", "status", "redacted", "duration_ms", "route"].map((name) => types.get(`metadata.${name}`)),
    ).toEqual(["STRING", "INT64", "BOOL", "FLOAT64", "STRING"].map((kind) => ({ kind })));
    expect(createAuditSource(undefined).retentionDays).toBeUndefined();
  });
});
