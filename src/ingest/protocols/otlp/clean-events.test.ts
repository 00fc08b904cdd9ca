import { describe, expect, it } from "vitest";
import { cleanValue } from "../../clean-value.ts";
import { countAny } from "../../event-count.ts";
import { defaultIngestLimits } from "../../limits.ts";
import { TimedEvent } from "../protocol.ts";
import { readLogs } from "./read-logs.ts";
import { readMetrics } from "./read-metrics.ts";
import { readTraces } from "./read-traces.ts";

const readers = { logRecords: readLogs, spans: readTraces, metrics: readMetrics };
const places = { logRecords: "Logs", spans: "Spans", metrics: "Metrics" };

function readItems(kind: keyof typeof readers, items: readonly object[], scope: object = {}, resource: object = {}) {
  const inScope = { scope, [kind]: items };
  const request = { [`resource${places[kind]}`]: [{ resource, [`scope${places[kind]}`]: [inScope] }] };
  const body = { bytes: Buffer.from(JSON.stringify(request)), mediaType: "application/json" };
  const common = { count: countAny(), contentType: undefined, contentEncoding: undefined, nowUs: 0n, maxBytes: 10_000 };
  return readers[kind]({ ...common, ...body }).items.map((item) => (item instanceof TimedEvent ? item.value : item));
}

const attributes = [{ key: "project", value: { stringValue: "p" } }];
const noProject = [{ key: "project", value: { intValue: 1 } }];
const nothing = { attributes: [], name: "", eventName: "", traceState: "", traceId: "", status: { message: "" } };
const point = (more: object = {}) => ({ gauge: { dataPoints: [{ asInt: 3, ...more }] } });

/** Values that are missing, empty, or the default, and add nothing to an event. */
const sparse = {
  logRecords: [
    {},
    nothing,
    { body: { stringValue: "" } },
    { body: {}, flags: 0 },
    { severityText: "", severityNumber: 0 },
    { severityNumber: "SEVERITY_NUMBER_" },
    { body: { boolValue: true }, eventName: "e" },
    { attributes, timeUnixNano: "soon" },
    { attributes: noProject, timeUnixNano: "0" },
  ],
  spans: [
    {},
    nothing,
    { name: "n", events: [], links: [] },
    { attributes, startTimeUnixNano: "soon" },
    { attributes: noProject, startTimeUnixNano: 0, status: {} },
  ],
  metrics: [
    {},
    { ...nothing, ...point(nothing) },
    { name: "n", unit: "", description: "", ...point({ attributes }) },
    { name: "n", ...point({ attributes: noProject, timeUnixNano: "soon" }) },
    { gauge: {}, sum: { dataPoints: [] } },
  ],
};

describe("events of OTLP", () => {
  it.each(Object.entries(sparse))("of sparse %s hold nothing that would have to be cleaned away", (kind, items) => {
    for (const [scope, resource] of [
      [{}, {}],
      [{ name: "", version: "", attributes: [] }, { attributes: [] }],
      [{ name: "lib", version: "", attributes }, { attributes }],
    ]) {
      for (const event of readItems(kind as keyof typeof readers, items, scope, resource)) {
        // Values that are clean are not copied.
        expect(cleanValue(event, defaultIngestLimits)).toBe(event);
      }
    }
  });

  it("have a project of the item, else of the resource, that is a text", () => {
    const projects = (own: object[], ofResource: object[]) =>
      [
        ...readItems("logRecords", [{ attributes: own }], {}, { attributes: ofResource }),
        ...readItems("spans", [{ attributes: own }], {}, { attributes: ofResource }),
        ...readItems("metrics", [point({ attributes: own })], {}, { attributes: ofResource }),
      ].map((event) => (event as { readonly project?: unknown }).project);
    const other = [{ key: "project", value: { stringValue: "q" } }];
    expect(projects(attributes, other)).toEqual(["p", "p", "p"]);
    expect(projects([], other)).toEqual(["q", "q", "q"]);
    expect(projects(noProject, other)).toEqual([undefined, undefined, undefined]);
    expect(projects([], [{ key: "project", value: { stringValue: "" } }])).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    [{ severityNumber: "SEVERITY_NUMBER_ERROR" }, "error"],
    [{ severityNumber: "SEVERITY_NUMBER_INFO4" }, "info"],
    [{ severityNumber: "SEVERITY_NUMBER_INFO44" }, undefined],
    [{ severityNumber: "X_SEVERITY_NUMBER_INFO" }, undefined],
    [{ severityNumber: 25 }, undefined],
    [{ severityNumber: 0 }, undefined],
    [{ severityNumber: 4 }, "trace"],
    [{ severityNumber: 5, severityText: "" }, "debug"],
    [{ severityNumber: 5, severityText: "Odd" }, "odd"],
    [{}, undefined],
  ])("of a record %j have its level", (record, level) => {
    const [event] = readItems("logRecords", [record]) as { readonly metadata: { readonly level?: string } }[];
    expect(event?.metadata.level).toBe(level);
  });

  it("of metrics have their temporality by name, and numbers that JSON has not as texts", () => {
    const value = { asDouble: "NaN", flags: 1, exemplars: [{ asInt: "4", filteredAttributes: attributes }] };
    const metrics = [
      { name: "m", sum: { aggregationTemporality: "AGGREGATION_TEMPORALITY_DELTA", dataPoints: [value] } },
      {
        name: "n",
        histogram: { isMonotonic: true, dataPoints: [{ sum: "Infinity", explicitBounds: ["-Infinity", 1] }] },
      },
    ];
    const common = { type: "otel_metric" };
    expect(readItems("metrics", metrics)).toStrictEqual([
      {
        event_message: "m",
        metadata: {
          ...common,
          kind: "sum",
          name: "m",
          temporality: "delta",
          is_monotonic: false,
          value: "NaN",
          exemplars: [{ value: 4, filtered_attributes: { project: "p" } }],
          flags: 1,
        },
      },
      {
        event_message: "n",
        metadata: { ...common, kind: "histogram", name: "n", sum: "Infinity", explicit_bounds: ["-Infinity", 1] },
      },
    ]);
  });
});
