/**
 * A field of several shapes, read from the columns that hold its values by type. What is read is exactly what the
 * record's JSON shows: where a column has lost something of a value, that row is read from the JSON.
 */

import type { SqlType } from "../../../../googlesql/types.ts";
import { isCastable } from "../../../../googlesql/typing/explicit.ts";
import type { LeafLayout } from "../../../schema/layout.ts";
import { printCast } from "../../functions/cast/cast.ts";
import { convertMixed, plainTextTo } from "../../functions/mixed.ts";
import { constant, decimalSql, FALSE, numberSql, storedColumnOf, textSql } from "../../sql/atoms.ts";
import { bindOnce, callSql, castTo } from "../../sql/forms.ts";
import { joinMapped, type Sql, sql } from "../../sql/sql.ts";
import { DOUBLE, VARCHAR } from "../../sql/types.ts";
import { printNull } from "./literals.ts";

/** Where the values of a field of several shapes are. */
export interface MixedColumns {
  /** The table's alias. */
  readonly alias: string;
  readonly leaf: LeafLayout;
  /**
   * The value's JSON text out of its record. Of a top-level field: out of its own JSON column, which some rows do not
   * have; undefined without one.
   */
  readonly json: Sql | undefined;
  readonly isTopLevel: boolean;
}

interface Variant {
  readonly value: Sql;
  readonly type: SqlType;
}

const STRING_TYPE: SqlType = { kind: "STRING" };
const MIXED_TYPE: SqlType = { kind: "MIXED" };

/**
 * A double is written as JSON has it, and is the number that was sent, as long as it is neither tiny nor beyond whole
 * numbers.
 */
const MAX_EXACT = numberSql(9007199254740991n);
const MIN_PLAIN = decimalSql("0.0001");

function variantsOf({ alias, leaf }: MixedColumns): readonly Variant[] {
  return leaf.variants.map(({ column, type }) => ({ value: storedColumnOf(alias, column), type }));
}

function doubleText(value: Sql, other: Sql): Sql {
  const plain = sql`
    CASE WHEN ${value} = trunc(${value}) THEN CAST(CAST(${value} AS BIGINT) AS VARCHAR) ELSE CAST(${value} AS VARCHAR) END
  `;
  return sql`
    CASE WHEN ${value} IS NULL THEN NULL WHEN ${value} = 0 OR abs(${value}) BETWEEN ${MIN_PLAIN} AND ${MAX_EXACT}
    THEN ${plain} ELSE ${other} END
  `;
}

/** The JSON text of a column's values by itself. */
function ownText({ value, type }: Variant): Sql {
  switch (type.kind) {
    case "INT64":
    case "BOOL":
      return castTo(value, VARCHAR);
    case "FLOAT64": {
      const text = canonicalText(sql`concat('[', CAST(to_json(${value}) AS VARCHAR), ']')`, "/0");
      return doubleText(value, sql`CASE WHEN isfinite(${value}) THEN ${text} END`);
    }
    case "STRING":
      return sql`CAST(to_json(${value}) AS VARCHAR)`;
    default:
      return printCast({ operand: value, from: type, to: MIXED_TYPE, isSafe: true, timeZone: "UTC" });
  }
}

/** A number that DuckDB wrote as a double, in the form that it has among others. */
function canonicalText(json: Sql, pointer: string): Sql {
  const text = sql`CAST(json_extract(${json}, ${textSql(pointer)}) AS VARCHAR)`;
  return bindOnce(text, "lw_number", (v) => {
    return sql`CASE WHEN regexp_full_match(${v}, '-?[0-9]+\\.0') THEN left(${v}, len(${v}) - 2) ELSE ${v} END`;
  });
}

/** The value's JSON text, where the columns have lost something of it. */
function exactText({ json, isTopLevel }: MixedColumns, variant: Variant): Sql {
  if (json === undefined) return ownText(variant);
  return isTopLevel ? sql`coalesce(${canonicalText(json, "")}, ${ownText(variant)})` : json;
}

/** The JSON text of a column's values. Elements of different types have become texts in the column of a list. */
function variantText(columns: MixedColumns, variant: Variant): Sql {
  switch (variant.type.kind) {
    case "ARRAY":
      return sql`CASE WHEN ${variant.value} IS NOT NULL THEN ${exactText(columns, variant)} END`;
    case "FLOAT64":
      return doubleText(variant.value, exactText(columns, variant));
    default:
      return ownText(variant);
  }
}

/** The value. */
export function printMixed(columns: MixedColumns): Sql {
  const { alias, leaf, json } = columns;
  const texts = variantsOf(columns).map((variant) => variantText(columns, variant));
  if (json !== undefined && leaf.isPartial === true) texts.unshift(canonicalText(json, ""));
  else if (json !== undefined && leaf.presence !== undefined)
    texts.push(sql`CASE WHEN ${storedColumnOf(alias, leaf.presence)} THEN ${json} END`);
  return texts.length === 0 ? printNull(MIXED_TYPE) : callSql("coalesce", texts);
}

/** Conversions that columns do as the JSON text does; others go by way of it. */
const BY_COLUMNS: ReadonlySet<SqlType["kind"]> = new Set([
  ...(["INT64", "FLOAT64", "BOOL", "STRING", "BYTES", "DATE", "TIME", "DATETIME", "TIMESTAMP"] as const),
]);

/** Prints the sort key (see `mixedKey`); undefined if there are others than scalars. */
function printKey(columns: MixedColumns): Sql | undefined {
  const variants = variantsOf(columns);
  const { presence, isPartial } = columns.leaf;
  if (presence !== undefined || isPartial === true || variants.some(({ type }) => type.kind === "ARRAY"))
    return undefined;
  const of = (...kinds: readonly SqlType["kind"][]) => variants.filter(({ type }) => kinds.includes(type.kind));
  const numbers = of("INT64", "FLOAT64").map(({ value }) => castTo(value, DOUBLE));
  const texts = of("STRING").map(({ value }) => value);
  const number = callSql("coalesce", [...numbers, constant`CAST(0 AS DOUBLE)`]);
  const text = callSql("coalesce", [...texts, textSql("")]);
  const isAny = (found: readonly Variant[]) =>
    found.length === 0 ? FALSE : joinMapped(found, " OR ", ({ value }) => sql`${value} IS NOT NULL`);
  const rank = sql`CASE WHEN ${isAny(of("INT64", "FLOAT64"))} THEN 0 WHEN ${isAny(of("STRING"))} THEN 1 ELSE 2 END`;
  const key = sql`{'r': ${rank}, 'n': ${number}, 't': ${text}, 'v': ${printMixed(columns)}}`;
  return sql`CASE WHEN ${isAny(variants)} THEN ${key} END`;
}

/**
 * The value as one of the type, NULL where it is none; as MIXED: what it sorts by. Undefined where the whole value
 * must be looked at.
 */
export function printMixedAs(columns: MixedColumns, to: SqlType): Sql | undefined {
  if (to.kind === "MIXED") return printKey(columns);
  if (!BY_COLUMNS.has(to.kind) || columns.leaf.isPartial === true) return undefined;
  const values = variantsOf(columns).flatMap((variant) => variantAs(columns, variant, to) ?? []);
  const [first] = values;
  if (first === undefined) return printNull(to);
  return values.length === 1 ? first : callSql("coalesce", values);
}

function safely(operand: Sql, from: SqlType, to: SqlType): Sql {
  return printCast({ operand, from, to, isSafe: true, timeZone: "UTC" });
}

function variantAs(columns: MixedColumns, variant: Variant, to: SqlType): Sql | undefined {
  const { value, type } = variant;
  if (type.kind === "FLOAT64") return doubleAs(columns, variant, to);
  const isOther = (type.kind === "BOOL" && to.kind === "INT64") || (type.kind === "INT64" && to.kind === "BOOL");
  if (isOther || !isCastable(type, to)) return undefined;
  if (type.kind !== "STRING") return safely(value, type, to);
  return plainTextTo(value, to, (text, wanted) => safely(text, STRING_TYPE, wanted));
}

function doubleAs(columns: MixedColumns, variant: Variant, to: SqlType): Sql | undefined {
  const { value } = variant;
  const fromText = (text: Sql, wanted: SqlType) => safely(text, STRING_TYPE, wanted);
  switch (to.kind) {
    case "FLOAT64":
      return value;
    case "STRING":
      return doubleText(value, convertMixed(exactText(columns, variant), to, true, fromText));
    case "INT64": {
      const wide = convertMixed(exactText(columns, variant), to, true, fromText);
      return sql`
        CASE WHEN ${value} IS NULL THEN NULL WHEN abs(${value}) <= ${MAX_EXACT} THEN CAST(round(${value}) AS BIGINT)
        ELSE ${wide} END
      `;
    }
    default:
      return undefined;
  }
}
