import type { OutputColumn } from "../engines/contract/query-engine.ts";
import { formatIsoTimestamp, parseIsoTimestamp } from "../values/iso-timestamp.ts";
import { splitMembers, splitValues } from "../values/json/split-json.ts";

type SqlType = OutputColumn["type"];
/** Rewrites the JSON of a value. */
type Rewrite = (json: string) => string;

/**
 * Returns a function that writes each TIMESTAMP of a row's JSON, at any depth, as ISO 8601 in UTC, such as
 * `2026-08-20T09:00:00.000000Z`: answers have microseconds, which models misread. Other types have readable texts.
 */
export function readableTimes(columns: readonly OutputColumn[]): Rewrite {
  const rewrite = rewriteMembers(columns);
  return (row) => rewrite?.(row) ?? row;
}

/** Undefined where the type holds no time that is to be rewritten. */
function rewriteOf(type: SqlType): Rewrite | undefined {
  switch (type.kind) {
    case "TIMESTAMP":
      return (json) => JSON.stringify(formatIsoTimestamp(BigInt(json)));
    case "RANGE":
      return type.element.kind === "TIMESTAMP" ? rewriteBounds : undefined;
    case "ARRAY":
      return rewriteItems(type.element);
    case "STRUCT":
      return rewriteMembers(type.fields);
    default:
      return undefined;
  }
}

function rewriteItems(element: SqlType): Rewrite | undefined {
  const rewrite = orNull(rewriteOf(element));
  return rewrite && ((json) => `[${[...splitValues(json.slice(1, -1))].map(rewrite).join(",")}]`);
}

/** Members are in the order of their types: names may be missing, or the same. */
function rewriteMembers(fields: readonly { readonly name?: string; readonly type: SqlType }[]): Rewrite | undefined {
  const rewrites = fields.map(({ type }) => orNull(rewriteOf(type)));
  if (rewrites.every((rewrite) => rewrite === undefined)) return undefined;
  const keys = fields.map(({ name }, index) => JSON.stringify(name ?? `_field_${index + 1}`));
  const write = (value: string, index: number) => `${keys[index]}:${rewrites[index]?.(value) ?? value}`;
  return (json) => `{${[...splitMembers(json)].map(write).join(",")}}`;
}

function rewriteBounds(json: string): string {
  return json.replaceAll(/\d[^,)"]*/g, (bound) => {
    const us = parseIsoTimestamp(bound)?.us;
    return us === undefined ? bound : formatIsoTimestamp(us);
  });
}

function orNull(rewrite: Rewrite | undefined): Rewrite | undefined {
  return rewrite && ((json) => (json === "null" ? json : rewrite(json)));
}
