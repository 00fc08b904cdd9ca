import { prepareCall } from "../endpoints/call/prepare/prepare-call.ts";
import { noPins, type PreparedCall } from "../endpoints/call/prepare/query-call.ts";
import { runPrepared } from "../endpoints/call/run/run-prepared.ts";
import type { EndpointRunner } from "../endpoints/call/run/runner.ts";
import type { ParameterDefinition } from "../endpoints/definition/definition.ts";
import { createTarget, type QueryTarget } from "../endpoints/definition/query-target.ts";
import type { QueryShape } from "../endpoints/explore/query-shape.ts";
import type { EventKey } from "../engines/contract/query-engine.ts";
import { formatIsoTimestamp } from "../shared/iso-timestamp.ts";
import type { DrainedEvent } from "./backend.ts";

/** The number of keys looked up at once, and so of the events in a request. */
export const maxBatch = 500;

/** More than one per key: another tenant may have an event with the same id. */
const maxRows = 4 * maxBatch;

const wholeRows: QueryShape = { key: "drain", maxRows, apply: (rows) => rows };

/** Looks up stored events. */
export interface EventReader {
  /** Throws `ServiceError` for a query in LQL that cannot run over the source. */
  check(source: string, lql: string): void;
  /**
   * Of the source's events with these keys, `maxBatch` at most, those that the query holds for, oldest first. What is
   * deleted by now is missing.
   */
  read(source: string, lql: string, keys: readonly EventKey[], signal: AbortSignal): Promise<readonly DrainedEvent[]>;
}

/** Reads through the same queries as callers, with the same admission. */
export function createEventReader(runner: EndpointRunner): EventReader {
  const targets = new Map<string, QueryTarget>();
  const prepare = (source: string, lql: string, keys: readonly EventKey[]): PreparedCall => {
    const target = targets.get(source) ?? createKeyedEvents(source);
    targets.set(source, target);
    const times = keys.map(({ timestampUs }) => timestampUs);
    const asked = lql.trim() === "" ? { sql: `SELECT * FROM \`${source}\`` } : { lql };
    const parameters = new Map<string, unknown>(
      Object.entries({
        ...asked,
        ids: JSON.stringify(keys.map(({ id }) => id)),
        oldest: formatIsoTimestamp(times.reduce((a, b) => (a < b ? a : b), times[0] ?? 0n)),
        newest: formatIsoTimestamp(times.reduce((a, b) => (a > b ? a : b), times[0] ?? 0n)),
      }),
    );
    return prepareCall(runner, {
      target,
      parameters,
      pinned: noPins,
      isOwner: true,
      redactsPii: false,
      shape: wholeRows,
    });
  };
  return {
    check: (source, lql) => void prepare(source, lql, []),
    async read(source, lql, keys, signal) {
      const found: { readonly timestamp: number; readonly event: DrainedEvent }[] = [];
      for await (const { json, rowCount } of runPrepared(runner, prepare(source, lql, keys), signal, {
        caller: "drains",
      })) {
        if (rowCount === 0) continue;
        for (const row of JSON.parse(`[${json}]`) as readonly Readonly<Record<string, unknown>>[]) {
          found.push({ timestamp: Number(row.timestamp), event: toEvent(row) });
        }
      }
      return found.sort((a, b) => a.timestamp - b.timestamp).map(({ event }) => event);
    },
  };
}

/** A source's events of some keys, as the only table of a sandbox. */
function createKeyedEvents(source: string): QueryTarget {
  const table = `\`${source}\``;
  const query = `WITH ${table} AS (
  SELECT * FROM ${table}
  WHERE id IN UNNEST(JSON_VALUE_ARRAY(@ids)) AND timestamp BETWEEN @oldest AND @newest
)
SELECT * FROM ${table}`;
  return createTarget({
    id: `drain:${source}`,
    query,
    maxRows,
    isSandboxed: true,
    parameters: [parameter("ids", "string"), parameter("oldest", "timestamp"), parameter("newest", "timestamp")],
  });
}

function parameter(name: string, type: ParameterDefinition["type"]): ParameterDefinition {
  return { name, type, isRequired: true, allowed: undefined, default: null, description: undefined };
}

/** A row as an event: without its missing fields, and with records as they were sent rather than as lists of one. */
function toEvent(row: Readonly<Record<string, unknown>>): DrainedEvent {
  const event: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row)) if (value !== null) event[name] = unwrap(value);
  return event;
}

function unwrap(value: unknown): unknown {
  if (Array.isArray(value)) {
    const [only] = value;
    const isRecord = value.length === 1 && typeof only === "object" && only !== null && !Array.isArray(only);
    return isRecord ? unwrap(only) : value.map(unwrap);
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, unwrap(each)]));
}
