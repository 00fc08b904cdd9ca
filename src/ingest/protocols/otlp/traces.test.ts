import { describe, expect, it } from "vitest";
import { parseEvents } from "../../parse-events.ts";

const nowUs = 1_790_000_000_000_000n;
const [traceId, spanId] = ["5b8efff798038103d269b633813fc60c", "eee19b7ec3c1b174"];

/** A span's event, with the metadata that every span has taken for granted. */
async function readSpan(span: object, around: object = {}) {
  const request = { resourceSpans: [{ scopeSpans: [{ spans: [span], ...around }] }] };
  const bytes = Buffer.from(JSON.stringify(request));
  const contentType = "application/json";
  const { events, untimed } = await parseEvents({
    ...{ protocol: "otlp_traces", bytes, contentType, contentEncoding: undefined, nowUs, maxBytes: 10_000 },
  });
  const { metadata, ...fields } = events[0]?.fields ?? {};
  const event = { ...events[0], id: events[0]?.hasGeneratedId === true ? undefined : events[0]?.id, fields };
  return { event, metadata: metadata as { readonly [field: string]: unknown }, untimed };
}

describe("a span", () => {
  it("without anything has the kind and the status of the defaults, and the time of its arrival", async () => {
    expect(await readSpan({})).toEqual({
      event: { id: undefined, hasGeneratedId: true, timestampUs: nowUs, eventMessage: null, fields: {} },
      metadata: { type: "otel_span", kind: "unspecified", status: { code: "unset" } },
      untimed: 0,
    });
  });

  it.each([
    [{ kind: "SPAN_KIND_CLIENT", status: { code: "STATUS_CODE_OK" } }, "client", { code: "ok" }],
    [{ kind: 5, status: { code: 1, message: "" } }, "consumer", { code: "ok" }],
    [{ kind: 9, status: { code: 7, message: "new" } }, "9", { code: "7", message: "new" }],
  ])("of %j has the names of kind and status", async (span, kind, status) => {
    expect((await readSpan(span)).metadata).toEqual({ type: "otel_span", kind, status });
  });

  it.each([
    [{ startTimeUnixNano: "1000", endTimeUnixNano: "1000" }, 0, 1n],
    [{ startTimeUnixNano: 5000, endTimeUnixNano: 6001 }, 1001, 5n],
    [{ startTimeUnixNano: "1544712660000000000", endTimeUnixNano: 1 }, 1 - 1544712660000000000, 1544712660000000n],
    [{ startTimeUnixNano: "1000" }, undefined, 1n],
    [{ startTimeUnixNano: "0", endTimeUnixNano: "3000" }, undefined, 3n],
    [{ startTimeUnixNano: "1000", endTimeUnixNano: 0 }, undefined, 1n],
    [{ endTimeUnixNano: "3000" }, undefined, 3n],
    [{ startTimeUnixNano: 2500.5, endTimeUnixNano: "3000" }, undefined, 2n],
    [{ startTimeUnixNano: "1000", endTimeUnixNano: 2500.5 }, undefined, 1n],
    [{ startTimeUnixNano: "soon", endTimeUnixNano: "3000" }, undefined, nowUs],
  ])("of %j has its duration and time", async (times, durationNs, timestampUs) => {
    const { event, metadata } = await readSpan(times);
    expect([metadata.duration_ns, event.timestampUs]).toEqual([durationNs, timestampUs]);
    expect("duration_ns" in metadata).toBe(durationNs !== undefined);
  });

  it("has an id of its own only if those of its trace and of itself are neither missing, empty nor zero", async () => {
    const ids = [
      { traceId, spanId },
      { traceId },
      { spanId },
      { traceId: "", spanId },
      { traceId, spanId: "0000000000000000" },
      { traceId, spanId: "00000000000000a0" },
    ];
    const found = await Promise.all(ids.map(async (span) => (await readSpan(span)).event.id));
    expect(found).toEqual([
      `${traceId}-${spanId}`,
      ...[undefined, undefined, undefined, undefined],
      `${traceId}-00000000000000a0`,
    ]);
  });

  it("carries the schema of its scope, and of its parts what they hold", async () => {
    const span = {
      events: [{ name: "a", droppedAttributesCount: 2 }, {}],
      links: [],
      flags: 0,
      droppedEventsCount: 4,
      droppedLinksCount: 5,
      droppedAttributesCount: 6,
      traceState: "x=y",
    };
    expect((await readSpan(span, { schemaUrl: "https://example.com/1", scope: { version: "2" } })).metadata).toEqual({
      type: "otel_span",
      kind: "unspecified",
      status: { code: "unset" },
      events: [{ name: "a", dropped_attributes_count: 2 }],
      dropped_events_count: 4,
      dropped_links_count: 5,
      dropped_attributes_count: 6,
      trace_state: "x=y",
      schema_url: "https://example.com/1",
      scope: { version: "2" },
    });
  });
});
