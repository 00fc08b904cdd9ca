import { describe, expect, it } from "vitest";
import { readAround, readOverview } from "./read-options.ts";

type Sent = Readonly<Record<string, unknown>>;

const time: Sent = { from: "2026-08-20T09:00:00Z", to: "2026-08-20T10:00:00Z" };
const sentOf = (sent: Sent): ReadonlyMap<string, readonly unknown[]> =>
  new Map(Object.entries(sent).map(([name, value]) => [name, [value]]));
const overview = (sent: Sent) => readOverview(sentOf({ ...time, ...sent }));
const around = (sent: Sent) => readAround(sentOf({ timestamp: "5", id: "a", ...sent }));

describe("readOverview", () => {
  it("requires only the time range, and has defaults for the rest", () => {
    expect(overview({ split: "", split_by: null, facets: undefined })).toEqual({
      fromUs: 1_787_216_400_000_000n,
      toUs: 1_787_220_000_000_000n,
      bucketCount: 60,
      split: undefined,
      facets: [],
      valuesPerFacet: 10,
    });
  });

  it("accepts texts, numbers and lists, and uses the last of repeated values", () => {
    const sent = { from: -5, to: "6", buckets: 500, split: "metadata.status", split_by: "class", values: "100" };
    expect(overview({ ...sent, facets: "a , b.c" })).toEqual({
      fromUs: -5n,
      toUs: 6n,
      bucketCount: 500,
      split: { path: ["metadata", "status"], isByClass: true },
      facets: [["a"], ["b", "c"]],
      valuesPerFacet: 100,
    });
    expect(overview({ split: "a", split_by: "value" }).split).toEqual({ path: ["a"], isByClass: false });
    expect(overview({ facets: ["a,b", "c"] }).facets).toEqual([["a,b"], ["c"]]);
    expect(readOverview(new Map([...sentOf(time), ["buckets", ["x", "1"]] as const])).bucketCount).toBe(1);
    const paths = (count: number) => Array(count).fill("a").join(",");
    expect(overview({ facets: paths(30), split: Array(30).fill("a").join(".") }).facets).toHaveLength(30);
  });

  const range = "must be an integer from 1 to";
  const dotted = "must name fields by dotted paths, such as metadata.level";
  it.each<[Sent, string, string]>([
    [{ from: "" }, "from", "The parameter from is required"],
    [{ to: null }, "to", "The parameter to is required"],
    [{ from: "soon" }, "from", "The parameter from must be an ISO 8601 timestamp, or microseconds since 1970"],
    [{ to: "1".repeat(18) }, "to", "The parameter to must be an ISO 8601 timestamp, or microseconds since 1970"],
    [{ to: true }, "to", "The parameter to must be text"],
    [{ to: time.from }, "to", "The parameter to must be later than from"],
    [{ buckets: 0 }, "buckets", `The parameter buckets ${range} 500`],
    [{ buckets: 501 }, "buckets", `The parameter buckets ${range} 500`],
    [{ buckets: "1.5" }, "buckets", `The parameter buckets ${range} 500`],
    [{ values: 101 }, "values", `The parameter values ${range} 100`],
    [{ values: "0" }, "values", `The parameter values ${range} 100`],
    [{ split_by: "size" }, "split_by", "The parameter split_by must be value or class"],
    [{ split: "a..b" }, "split", `The parameter split ${dotted}`],
    [{ split: Array(31).fill("a").join(".") }, "split", `The parameter split ${dotted}`],
    [{ facets: "a,,b" }, "facets", `The parameter facets ${dotted}`],
    [{ facets: [1] }, "facets", "The parameter facets must be text"],
    [{ facets: Array(31).fill("a") }, "facets", "The parameter facets names 30 fields at most"],
  ])("refuses %j with the name of the parameter", (sent, parameter, message) => {
    const code = message.endsWith("is required") ? "missing_parameter" : "invalid_parameter";
    const details = { parameter, ...(parameter === "split_by" ? { allowed: ["value", "class"] } : {}) };
    expect(() => overview(sent)).toThrow(expect.objectContaining({ code, message, details }));
  });
});

describe("readAround", () => {
  it("identifies a row by timestamp and id, with twenty rows on each side by default", () => {
    expect(around({})).toEqual({ atUs: 5n, id: "a", count: 20 });
    expect(around({ id: 7, count: 200, timestamp: "1970-01-01T00:00:01" })).toEqual({
      atUs: 1_000_000n,
      id: "7",
      count: 200,
    });
  });

  it.each<[Sent, string]>([
    [{ id: "" }, "The parameter id is required"],
    [{ timestamp: "" }, "The parameter timestamp is required"],
    [{ count: 201 }, "The parameter count must be an integer from 1 to 200"],
    [{ count: 0 }, "The parameter count must be an integer from 1 to 200"],
  ])("refuses %j: %s", (sent, message) => {
    expect(() => around(sent)).toThrow(expect.objectContaining({ message }));
  });
});
