import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codePoint } from "../../../test/support/code-point.ts";
import { sampleSize } from "../../../test/support/sample-size.ts";
import type { EventValue, LogEvent } from "../../engines/contract/query-engine.ts";
import { measureEvents } from "./measure-events.ts";

function event(fields: LogEvent["fields"], eventMessage: string | null = null): LogEvent {
  return { id: "1", hasGeneratedId: false, timestampUs: 0n, eventMessage, fields };
}

describe("measureEvents", () => {
  it("counts events by tenant, wherever the tenant field is", () => {
    const events = [
      event({ metadata: { project_ref: "a" } }),
      event({ metadata: { project_ref: "b" } }),
      event({ metadata: [{ Project_Ref: "a" }] }),
      event({ metadata: { project_ref: 7 } }),
      event({ metadata: "a" }),
      event({ other: 1 }),
    ];
    const loads = measureEvents(events, { tenantField: "metadata.project_ref" });
    expect(loads.map(({ tenant, eventCount }) => [tenant, eventCount])).toEqual([
      ["a", 2],
      ["b", 1],
      ["7", 1],
      [null, 2],
    ]);
  });

  it("attributes no tenant in a source without tenants", () => {
    expect(measureEvents([event({ project: "a" }), event({})], {})).toMatchObject([{ tenant: null, eventCount: 2 }]);
  });

  it("measures the length of the events' JSON in UTF-8", () => {
    const fields = fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<EventValue>);
    const withoutNull = fields.filter((each) => !JSON.stringify(each).includes("null"));
    fc.assert(
      fc.property(withoutNull, fc.option(fc.string({ unit: codePoint })), (each, message) => {
        const asOne = message === null ? each : { event_message: message, ...each };
        // The message is counted with a comma after it, even when no field follows.
        const slack = message !== null && Object.keys(each).length === 0 ? 1 : 0;
        const [load] = measureEvents([event(each, message)], {});
        expect(load?.byteCount).toBe(Buffer.byteLength(JSON.stringify(asOne)) + slack);
      }),
      { numRuns: sampleSize(25, 1_000) },
    );
  });
});
