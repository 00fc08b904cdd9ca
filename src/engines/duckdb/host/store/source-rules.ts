/**
 * Taking a source's rules over: what its rows hold is made to agree with them. Values of rows that were stored before a
 * field was declared are put into the declared type's column.
 */

import { foldName } from "../../../schema/declaration.ts";
import { INTEGER_TEXT, NUMBER_TEXT } from "../../../schema/declared-value.ts";
import type { ValueEntry, ValueType } from "../../../schema/schema-entry.ts";
import type { SourceRules } from "../../../schema/source/source-schema.ts";
import type { Connection } from "../../driver/connection.ts";
import { quoteIdentifier, quoteString } from "../../sql-text.ts";
import { isSingle, jsonPlace } from "./json-paths.ts";
import { keepRules } from "./source-tables.ts";
import type { StoredSource } from "./stored-source.ts";
import { findTenants, replaceTenants } from "./tenant-entries.ts";

function textTo(text: string, type: ValueType): string | undefined {
  switch (type) {
    case "STRING":
      return text;
    case "INT64":
      return `CASE WHEN regexp_full_match(${text}, '${INTEGER_TEXT}') THEN TRY_CAST(${text} AS BIGINT) END`;
    case "FLOAT64":
      return `CASE WHEN regexp_full_match(${text}, '${NUMBER_TEXT}') THEN TRY_CAST(${text} AS DOUBLE) END`;
    case "BOOL":
      return `CASE WHEN ${text} IN ('true', 'false') THEN ${text} = 'true' END`;
    default:
      return undefined;
  }
}

/** A value of another type in the declared one, NULL if it would lose something; undefined if no value fits. */
function convert(column: string, from: ValueType, to: ValueType): string | undefined {
  if (from === to) return column;
  // What a column of these has lost is in the JSON alone.
  if (from.endsWith("[]") || from === "WIDE") return undefined;
  if (from === "STRING") return textTo(column, to);
  if (to === "STRING")
    return from === "FLOAT64"
      ? `regexp_replace(CAST(${column} AS VARCHAR), '\\.0$', '')`
      : `CAST(${column} AS VARCHAR)`;
  if (to === "FLOAT64" && from === "INT64") return `CAST(${column} AS DOUBLE)`;
  if (to === "INT64" && from === "FLOAT64") {
    return `CASE WHEN ${column} = trunc(${column}) AND abs(${column}) < 9e18 THEN CAST(${column} AS BIGINT) END`;
  }
  return undefined;
}

function isLive(entry: ValueEntry): boolean {
  return entry.column !== null && entry.isStale !== true;
}

/**
 * Fills the declared column where it is NULL from all other places of the field. True when it holds all values then.
 */
async function fillColumn(connection: Connection, source: StoredSource, path: string, type: ValueType): Promise<void> {
  const values = source.entries.filter(
    (entry): entry is ValueEntry => entry.role === "value" && foldName(entry.path) === foldName(path),
  );
  const declared = values.findLast((entry) => entry.path === path && entry.type === type && entry.column !== null);
  if (declared?.column == null) return;
  const table = quoteIdentifier(source.table);
  const target = quoteIdentifier(declared.column);
  for (const other of values) {
    if (other.column === null || other.column === declared.column || !isLive(other)) continue;
    const value = convert(quoteIdentifier(other.column), other.type, type);
    if (value === undefined) continue;
    const sql = `UPDATE ${table} SET ${target} = ${value} WHERE ${target} IS NULL AND (${value}) IS NOT NULL`;
    await connection.all(sql);
  }
  if (values.every(isLive)) return;
  for (const spelling of new Set(values.map((entry) => entry.path))) {
    const place = jsonPlace(source.entries, spelling, false);
    if (place === undefined) continue;
    const argument = `${place.column}, ${place.path ?? quoteString("$")}`;
    const text = `CASE WHEN json_type(${argument}) NOT IN ('ARRAY', 'OBJECT') THEN json_extract_string(${argument}) END`;
    const value = textTo(`(${text})`, type);
    if (value === undefined) continue;
    const sql =
      `UPDATE ${table} SET ${target} = ${value} WHERE ${target} IS NULL AND ${place.column} IS NOT NULL ` +
      `AND ${isSingle(source.entries, spelling)} AND (${value}) IS NOT NULL`;
    await connection.all(sql);
  }
  await connection.all("UPDATE lw_fields SET stale = false WHERE source = $1 AND column_name = $2", [
    { value: source.name },
    { value: declared.column },
  ]);
  source.entries.forEach((entry, index) => {
    if (entry.role === "value" && entry.column === declared.column)
      source.entries[index] = { ...entry, isStale: false };
  });
}

/** Fills the columns of all declared fields. Running it again changes nothing. */
export async function fillDeclaredColumns(
  connection: Connection,
  source: StoredSource,
  fields: readonly (readonly [path: string, type: ValueType])[],
): Promise<void> {
  for (const [path, type] of fields) await fillColumn(connection, source, path, type);
}

/** Runs as a task of the writer. If interrupted, it is repeated the next time, since the rules are stored last. */
export async function applyRules(connection: Connection, source: StoredSource, rules: SourceRules): Promise<void> {
  const before = source.rules;
  if (JSON.stringify(before) === JSON.stringify(rules)) return;
  try {
    // The columns must be complete before they are queried for the fields of each tenant.
    await fillDeclaredColumns(connection, source, rules.fields);
    source.rules = rules;
    // Who has carried what is known as long as the tenants are the same; rows alone show less of it than the events
    // did.
    const isKnown = before != null && before.tenantField === rules.tenantField;
    const tenants = isKnown ? undefined : await findTenants(connection, source);
    await connection.transaction(async () => {
      if (tenants !== undefined) await replaceTenants(connection, source.name, tenants);
      await keepRules(connection, source.name, rules);
    });
  } catch (error) {
    source.rules = before;
    throw error;
  }
}
