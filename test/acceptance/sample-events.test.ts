import { expect } from "vitest";
import { createRandom } from "../../src/demo/random.ts";
import { sampleSources } from "../../src/demo/sample-events.ts";
import { it } from "./shared-service.ts";

it("every generated sample event can be read back whole from its source's table of logs.all", async ({
  sharedService: service,
}) => {
  const random = createRandom(1);
  // No other file has events of this project in this hour.
  const hour = { iso_timestamp_start: "2026-08-20T03:00:00Z", iso_timestamp_end: "2026-08-20T04:00:00Z" };
  for (const { source, make } of sampleSources) {
    const events = Array.from({ length: 40 }, (_, i) =>
      make(random, `2026-08-20T03:30:00.${String(i).padStart(3, "0")}Z`),
    );
    await service.ingest(source, events);
    const sql = `select id, metadata from ${source}_logs order by id`;
    const rows = await service.rows("logs.all", { project: "default", ...hour, sql });
    const expected = events
      .filter((event) => JSON.stringify(event).match(/"(project|project_ref)":"default"/))
      .map(({ id }) => id);
    expect(expected.length, source).toBeGreaterThan(5);
    expect(rows.map(({ id }) => id)).toEqual(expected.sort());
    expect(rows.every(({ metadata }) => Array.isArray(metadata) && metadata.length === 1)).toBe(true);
  }
});
