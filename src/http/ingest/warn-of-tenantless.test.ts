import { expect, it } from "vitest";
import type { Source } from "../../sources/source.ts";
import { createTenantlessWarnings } from "./warn-of-tenantless.ts";

const source = { name: "function", tenantField: "metadata.project_ref" } as Source;

it("events without a tenant are logged immediately, then at most once a minute with their number, by source", () => {
  let now = 5;
  const said: string[] = [];
  const log = { warn: (_: unknown, message?: string) => void said.push(message ?? "") };
  const warn = createTenantlessWarnings(() => now);
  warn(log, source, 1);
  warn(log, source, 2);
  warn(log, { ...source, name: "edge", tenantField: "project" }, 3);
  now += 60_000;
  warn(log, source, 4);
  expect(said).toEqual([
    "1 event came to function without metadata.project_ref: queries of one project_ref, as of logs.all, do " +
      "not show them",
    "3 events came to edge without project: queries of one project, as of logs.all, do not show them",
    "6 events came to function without metadata.project_ref: queries of one project_ref, as of logs.all, do " +
      "not show them",
  ]);
});
