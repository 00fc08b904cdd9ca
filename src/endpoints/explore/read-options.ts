import { ServiceError } from "../../shared/errors.ts";
import { parseIsoTimestamp } from "../../shared/iso-timestamp.ts";
import type { Overview } from "./overview-query.ts";

type Sent = ReadonlyMap<string, readonly unknown[]>;

const defaultBuckets = 60;
const maxBuckets = 500;
const defaultValues = 10;
const maxValues = 100;
const maxFacets = 30;
const defaultNeighbours = 20;
const maxNeighbours = 200;

/**
 * Reads what an overview is asked for: `from` and `to`, `buckets`, `split`, `split_by`, `facets` and `values`. Throws
 * `ServiceError` naming what is wrong.
 */
export function readOverview(sent: Sent): Overview {
  const fromUs = readTime(sent, "from");
  const toUs = readTime(sent, "to");
  if (toUs <= fromUs) throw invalid("to", "The parameter to must be later than from");
  const split = readText(sent, "split");
  const by = readText(sent, "split_by") ?? "value";
  if (by !== "value" && by !== "class") {
    throw new ServiceError("invalid_parameter", "The parameter split_by must be value or class", {
      parameter: "split_by",
      allowed: ["value", "class"],
    });
  }
  const facets = readList(sent, "facets");
  if (facets.length > maxFacets) throw invalid("facets", `The parameter facets names ${maxFacets} fields at most`);
  return {
    fromUs,
    toUs,
    bucketCount: readNumber(sent, "buckets", defaultBuckets, maxBuckets),
    split: split === undefined ? undefined : { path: readPath("split", split), isByClass: by === "class" },
    facets: facets.map((facet) => readPath("facets", facet)),
    valuesPerFacet: readNumber(sent, "values", defaultValues, maxValues),
  };
}

/**
 * Reads which row is looked around, and how far: `timestamp` (ISO 8601, or microseconds as answers have them), `id`,
 * `count` on each side.
 */
export function readAround(sent: Sent): { readonly atUs: bigint; readonly id: string; readonly count: number } {
  const id = readText(sent, "id");
  if (id === undefined) throw missing("id");
  return { atUs: readTime(sent, "timestamp"), id, count: readNumber(sent, "count", defaultNeighbours, maxNeighbours) };
}

function readTime(sent: Sent, name: string): bigint {
  const text = readText(sent, name);
  if (text === undefined) throw missing(name);
  const us = /^-?\d{1,17}$/.test(text) ? BigInt(text) : parseIsoTimestamp(text)?.us;
  if (us !== undefined) return us;
  throw invalid(name, `The parameter ${name} must be an ISO 8601 timestamp, or microseconds since 1970`);
}

function readNumber(sent: Sent, name: string, fallback: number, maximum: number): number {
  const text = readText(sent, name);
  if (text === undefined) return fallback;
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= maximum) return value;
  throw invalid(name, `The parameter ${name} must be an integer from 1 to ${maximum}`);
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
  throw invalid(parameter, `The parameter ${parameter} must name fields by dotted paths, such as metadata.level`);
}

function readText(sent: Sent, name: string): string | undefined {
  const value = sent.get(name)?.at(-1);
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string" || typeof value === "number") return String(value);
  throw invalid(name, `The parameter ${name} must be text`);
}

function missing(parameter: string): ServiceError {
  return new ServiceError("missing_parameter", `The parameter ${parameter} is required`, { parameter });
}

function invalid(parameter: string, message: string): ServiceError {
  return new ServiceError("invalid_parameter", message, { parameter });
}
