/**
 * Ids are random, so a filter on one reads the ids of all events. The id filter knows the hour of an id's event: beside
 * `(t1."id" = 'x')` the statement gets bounds of the time, as parameters whose values are looked up at each run. The
 * bounds hold for every event that has the id, so the condition means the same wherever it stands.
 */
import type { BoundValue } from "../../driver/connection.ts";
import { DuckDBTimestampValue, TIMESTAMP } from "../../driver/driver.ts";
import type { HostQuery } from "../protocol.ts";
import type { TimeRange } from "../store/id-filter.ts";

/** Where the events of an id may be; null: nowhere. */
export type FindIdRange = (table: string, id: string) => TimeRange | null;

interface IdCondition {
  readonly table: string;
  /** A literal, or the position of a parameter counted from 0. */
  readonly id: string | number;
}

export interface BoundedStatement {
  readonly sql: string;
  readonly conditions: readonly IdCondition[];
}

/** Statements that are remembered with their bounds. */
const MAX_STATEMENTS = 500;
/** Conditions of one statement that get bounds: a long list of ids is read faster without. */
const MAX_CONDITIONS = 4;
/** How the database writes the ends of time. */
const [FIRST_US, LAST_US] = [-(2n ** 63n) + 1n, 2n ** 63n - 1n];

const TABLES = /'(?:[^']|'')*'|"((?:[^"]|"")*)" AS (t\d+)\b|"(?:[^"]|"")*"/g;
const ID_CONDITIONS =
  /'(?:[^']|'')*'|\((t\d+)\."id" = (?:'((?:[^']|'')*)'|CAST\(\$(\d+) AS VARCHAR\))\)|"(?:[^"]|"")*"/g;

/** The statement with bounds beside its conditions on ids. Their values follow its own parameters, two a condition. */
export function boundIds(sql: string, parameterCount: number): BoundedStatement {
  if (!sql.includes('"id" = ')) return { sql, conditions: [] };
  const tables = new Map<string, string>();
  for (const [, table, alias] of sql.matchAll(TABLES)) {
    if (table !== undefined && alias !== undefined) tables.set(alias, table);
  }
  const conditions: IdCondition[] = [];
  const bounded = sql.replace(
    ID_CONDITIONS,
    (token, alias: string | undefined, literal: string | undefined, position: string | undefined) => {
      const table = tables.get(alias ?? "");
      if (table === undefined || conditions.length === MAX_CONDITIONS) return token;
      const at = parameterCount + 2 * conditions.length;
      conditions.push({ table, id: literal?.replaceAll("''", "'") ?? Number(position) - 1 });
      const time = `${alias}."timestamp"`;
      return `(${token} AND ${time} >= CAST($${at + 1} AS TIMESTAMP) AND ${time} < CAST($${at + 2} AS TIMESTAMP))`;
    },
  );
  return { sql: bounded, conditions };
}

function toBounds(range: TimeRange | null): readonly [bigint, bigint] {
  if (range === null) return [LAST_US, FIRST_US];
  return range === undefined ? [FIRST_US, LAST_US] : [range.fromUs, range.toUs];
}

/** Finds the bounds of statements, each statement's places once. */
export function createIdBounds(findRange: FindIdRange): {
  readonly statement: (query: HostQuery) => BoundedStatement;
  readonly values: (statement: BoundedStatement, query: HostQuery) => readonly BoundValue[];
} {
  const known = new Map<string, BoundedStatement>();
  return {
    statement({ sql, parameters }) {
      let statement = known.get(sql);
      if (statement === undefined) {
        if (known.size >= MAX_STATEMENTS) known.clear();
        statement = boundIds(sql, parameters.length);
        known.set(sql, statement);
      }
      return statement;
    },
    values({ conditions }, { parameters }) {
      return conditions.flatMap(({ table, id }) => {
        const value = typeof id === "number" ? parameters[id]?.value : id;
        // No event has NULL for an id, but a condition on it is NULL, and bounds must leave it so.
        const range = typeof value === "string" ? findRange(table, value) : undefined;
        return toBounds(range).map((us) => ({ value: new DuckDBTimestampValue(us), type: TIMESTAMP }));
      });
    },
  };
}
