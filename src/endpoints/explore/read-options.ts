import { type TInteger, Type } from "typebox";
import { invalidParameter, ServiceError } from "../../shared/errors.ts";
import { parseIsoTimestamp } from "../../values/iso-timestamp.ts";
import type { Overview } from "./overview-query.ts";

type Sent = ReadonlyMap<string, readonly unknown[]>;

const maxFacets = 30;

/** The parameters of an overview. */
export const overviewParameters = {
  from: Type.String({ description: "Rows after this time" }),
  to: Type.String({ description: "Rows at or before this time" }),
  buckets: Type.Integer({ description: "Parts of that time to count in", minimum: 1, maximum: 500, default: 60 }),
  split: Type.String({ description: "A field by whose values each part is counted apart" }),
  split_by: Type.Unsafe<"value" | "class">({
    description: "The values themselves, or classes of a hundred such as 5xx",
    type: "string",
    enum: ["value", "class"],
  }),
  facets: Type.String({ description: "Fields whose most frequent values are told, with commas between" }),
  values: Type.Integer({ description: "So many values of each", minimum: 1, maximum: 100, default: 10 }),
};

/** Which row is looked around, and how far. */
export const aroundParameters = {
  timestamp: Type.String({ description: "Of the row: ISO 8601, or microseconds since 1970" }),
  id: Type.String({ description: "Of the row" }),
  count: Type.Integer({ description: "Neighbours on each side", minimum: 1, maximum: 200, default: 20 }),
};

/**
 * Reads what an overview is asked for: `from` and `to`, `buckets`, `split`, `split_by`, `facets` and `values`. Throws
 * `ServiceError` naming what is wrong.
 */
export function readOverview(sent: Sent): Overview {
  const fromUs = readTime(sent, "from");
  const toUs = readTime(sent, "to");
  if (toUs <= fromUs) throw invalidParameter("to", "The parameter to must be later than from");
  const split = readText(sent, "split");
  const by = readText(sent, "split_by") ?? "value";
  if (by !== "value" && by !== "class") {
    throw invalidParameter("split_by", "The parameter split_by must be value or class", {
      allowed: ["value", "class"],
    });
  }
  const facets = readList(sent, "facets");
  if (facets.length > maxFacets)
    throw invalidParameter("facets", `The parameter facets names ${maxFacets} fields at most`);
  return {
    fromUs,
    toUs,
    bucketCount: readNumber(sent, "buckets", overviewParameters.buckets),
    split: split === undefined ? undefined : { path: readPath("split", split), isByClass: by === "class" },
    facets: facets.map((facet) => readPath("facets", facet)),
    valuesPerFacet: readNumber(sent, "values", overviewParameters.values),
  };
}

/**
 * Reads which row is looked around, and how far: `timestamp` (ISO 8601, or microseconds as answers have them), `id`,
 * `count` on each side.
 */
export function readAround(sent: Sent): { readonly atUs: bigint; readonly id: string; readonly count: number } {
  const id = readText(sent, "id");
  if (id === undefined) throw missing("id");
  return { atUs: readTime(sent, "timestamp"), id, count: readNumber(sent, "count", aroundParameters.count) };
}

function readTime(sent: Sent, name: string): bigint {
  const text = readText(sent, name);
  if (text === undefined) throw missing(name);
  const us = /^-?\d{1,17}$/.test(text) ? BigInt(text) : parseIsoTimestamp(text)?.us;
  if (us !== undefined) return us;
  throw invalidParameter(name, `The parameter ${name} must be an ISO 8601 timestamp, or microseconds since 1970`);
}

function readNumber(sent: Sent, name: string, schema: TInteger): number {
  const { default: fallback = 0, minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema as IntegerForm;
  const text = readText(sent, name);
  if (text === undefined) return fallback;
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= minimum && value <= maximum) return value;
  throw invalidParameter(name, `The parameter ${name} must be an integer from ${minimum} to ${maximum}`);
}

interface IntegerForm {
  readonly default?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A list in JSON, or names with commas between. */
function readList(sent: Sent, name: string): readonly string[] {
  const value = sent.get(name)?.at(-1);
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
  const text = readText(sent, name);
  return text === undefined ? [] : text.split(",").map((each) => each.trim());
}

function readPath(parameter: string, text: string): readonly string[] {
  const path = text.split(".");
  if (path.every((part) => part !== "") && path.length <= 30) return path;
  throw invalidParameter(
    parameter,
    `The parameter ${parameter} must name fields by dotted paths, such as metadata.level`,
  );
}

function readText(sent: Sent, name: string): string | undefined {
  const value = sent.get(name)?.at(-1);
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string" || typeof value === "number") return String(value);
  throw invalidParameter(name, `The parameter ${name} must be text`);
}

function missing(parameter: string): ServiceError {
  return new ServiceError("missing_parameter", `The parameter ${parameter} is required`, { parameter });
}
