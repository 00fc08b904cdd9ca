/** What views by tenant cost: memory of 10,000 tenants with 60 fields each in 500 shapes, and finding a view: `npx esbuild bench/tenant-views.ts --bundle --platform=node --format=esm --packages=external | node --expose-gc --input-type=module`. */

import { defaultSchemaLimits } from "../src/engines/duckdb/schema/grant-entries.ts";
import type { SchemaEntry } from "../src/engines/duckdb/schema/schema-entry.ts";
import { createSourceState, defineSource, layoutFor, noteTenant } from "../src/engines/duckdb/store/source-state.ts";

const [TENANTS, FIELDS, SHAPES] = [10_000, 60, 500];

function heapMegabytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1e6;
}

const entries: SchemaEntry[] = [
  { role: "json", path: "metadata", column: "j1" },
  { role: "record", path: "metadata", column: "p2" },
];
for (let field = 0; field < SHAPES * 4 + FIELDS; field++) {
  entries.push({ role: "value", path: `metadata.field_${field}`, type: "INT64", column: `c${field + 3}` });
}
const before = heapMegabytes();
const state = createSourceState({ name: "edge", table: "events_1", entries, tenants: [] }, defaultSchemaLimits);
defineSource(state, {
  name: "edge",
  knownFields: [{ path: "project", type: { kind: "STRING" } }],
  tenantField: "project",
});
const tree = heapMegabytes();
for (let tenant = 0; tenant < TENANTS; tenant++) {
  const first = 2 + (tenant % SHAPES) * 4;
  noteTenant(state, `tenant-${tenant}`, [1, ...Array.from({ length: FIELDS }, (_, i) => first + i)]);
}
const sets = heapMegabytes();
for (let tenant = 0; tenant < SHAPES; tenant++) layoutFor(state, `tenant-${tenant}`);
const views = heapMegabytes();
const rounds = 200_000;
const begunAt = performance.now();
for (let i = 0; i < rounds; i++) layoutFor(state, `tenant-${i % TENANTS}`);
const microseconds = ((performance.now() - begunAt) * 1000) / rounds;
console.log(
  `schema ${(tree - before).toFixed(1)} MB, sets of ${TENANTS} tenants ${(sets - tree).toFixed(1)} MB, ${SHAPES} views ${(views - sets).toFixed(1)} MB`,
);
console.log(`finding a view: ${microseconds.toFixed(2)} µs`);
