/** Checks that the cases of the store share. */
import { strict as assert } from "node:assert";
import type { AppendResult } from "../../src/engines/contract/query-engine.ts";
import { STRING } from "../../src/googlesql/types.ts";
import type { Bench } from "./bench.ts";

/** A source that has tenants. */
export const byProject = { tenantField: "project", knownFields: [{ path: "project", type: STRING }] } as const;

export function assertStored(result: AppendResult, stored: number, repeated: number): void {
  assert.deepEqual([result.stored, result.repeated], [stored, repeated]);
}

export function idsOf(bench: Bench, source: string, tenant?: string): Promise<unknown[]> {
  return bench.askValues(`SELECT id FROM ${source} ORDER BY id`, tenant === undefined ? {} : { tenant });
}

export function columnsOf({ engine }: Bench, source: string, tenant?: string | null): readonly string[] {
  return engine.store.describe(source, tenant)?.columns.map(({ name }) => name) ?? [];
}
