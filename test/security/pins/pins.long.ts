/** The forms and random queries over a ClickHouse server. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openClickHouseEngine } from "../../../src/engines/clickhouse/index.ts";
import { createResidualEngine } from "../../../src/engines/duckdb/index.ts";
import { openServer, type ServerProcess } from "../../clickhouse/start.ts";
import { sampleOf, sampleSize } from "../../support/sample-size.ts";
import { forms } from "./forms.ts";
import { askRandomQueries } from "./random-queries.ts";
import { openSetups, ownTenant, type Setups } from "./setups.ts";

const folder = mkdtempSync(join(tmpdir(), "logweir-pins-"));
let server: ServerProcess;
let setups: Setups;

beforeAll(async () => {
  server = await openServer({ folder });
  let made = 0;
  setups = await openSetups(async () =>
    openClickHouseEngine({
      ...{ urls: [server.url], user: "default", password: "", database: `logweir_pins_${++made}`, migrates: true },
      residual: createResidualEngine({ threads: 1 }),
    }),
  );
}, 120_000);

afterAll(async () => {
  await setups.close();
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

describe("on ClickHouse, a pin confines every read of a query that compares it with a tenant's field once:", () => {
  // All of them are tried on the other engine; in turns here.
  it.each(sampleOf(forms, 0.5))("$name", async ({ query, inner = [], sql }) => {
    const { alone, shared } = setups;
    for (const setup of [alone, shared])
      setup.save([...inner, { name: "form", query, isSandboxed: sql !== undefined }]);
    const sent: Record<string, string> = sql === undefined ? {} : { sql };
    for (const call of [{ pins: { project: ownTenant }, sent }, { sent: { ...sent, project: ownTenant } }]) {
      const expected = await alone.ask("form", call);
      expect(expected).toMatchObject({ rows: expect.any(Array) });
      expect(await shared.ask("form", call)).toEqual(expected);
    }
  });
});

it("on ClickHouse, random queries with a pinned token answer as if there were no other tenants", async () => {
  const count = sampleSize(24, 1_000);
  const { differences, answered } = await askRandomQueries(setups, Number(process.env.LOGWEIR_TEST_SEED ?? 1), count);
  expect(differences.slice(0, 3), `${differences.length} differ`).toEqual([]);
  expect(answered).toBeGreaterThan(0.3 * count);
}, 1_800_000);
