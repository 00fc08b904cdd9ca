/**
 * A field of several shapes, read from the columns that hold its values by type. What is read is exactly what the
 * record's JSON tells: where a column has lost something of a value, that row is read from the JSON.
 */
import type { SqlType } from "../../../../googlesql/types.ts";
import { isCastable } from "../../../../googlesql/typing/explicit.ts";
import type { LeafLayout } from "../../../schema/layout.ts";
import { printCast } from "../../functions/cast/cast.ts";
import { convertMixed, plainTextTo } from "../../functions/mixed.ts";
import { bindOnce, quoteIdentifier, quoteString } from "../../sql-text.ts";
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
  readonly json: string | undefined;
  readonly isTopLevel: boolean;
}

interface Variant {
  readonly sql: string;
  readonly type: SqlType;
}

const STRING_TYPE: SqlType = { kind: "STRING" };
const MIXED_TYPE: SqlType = { kind: "MIXED" };

/**
 * A double is written as JSON has it, and is the number that was sent, as long as it is neither tiny nor beyond whole
 * numbers.
 */
const MAX_EXACT = "9007199254740991";
const MIN_PLAIN = "0.0001";

function variantsOf({ alias, leaf }: MixedColumns): readonly Variant[] {
  return leaf.variants.map(({ column, type }) => ({ sql: `${alias}.${quoteIdentifier(column)}`, type }));
}

function doubleText(sql: string, other: string): string {
  const plain =
    `CASE WHEN ${sql} = trunc(${sql}) THEN CAST(CAST(${sql} AS BIGINT) AS VARCHAR) ELSE CAST(${sql} AS VARCHAR) ` +
    "END";
  return (
    `CASE WHEN ${sql} IS NULL THEN NULL WHEN ${sql} = 0 OR abs(${sql}) BETWEEN ${MIN_PLAIN} AND ${MAX_EXACT} ` +
    `THEN ${plain} ELSE ${other} END`
  );
}

/** The JSON text of a column's values by itself. */
function ownText({ sql, type }: Variant): string {
  switch (type.kind) {
    case "INT64":
    case "BOOL":
      return `CAST(${sql} AS VARCHAR)`;
    case "FLOAT64": {
      const text = canonicalText(`concat('[', CAST(to_json(${sql}) AS VARCHAR), ']')`, "/0");
      return doubleText(sql, `CASE WHEN isfinite(${sql}) THEN ${text} END`);
    }
    case "STRING":
      return `CAST(to_json(${sql}) AS VARCHAR)`;
    default:
      return printCast({ operand: sql, from: type, to: MIXED_TYPE, isSafe: true, timeZone: "UTC" });
  }
}

/** A number that DuckDB wrote as a double, in the form that it has among others. */
function canonicalText(json: string, pointer: string): string {
  const text = `CAST(json_extract(${json}, ${quoteString(pointer)}) AS VARCHAR)`;
  return bindOnce(text, "lw_number", (v) => {
    return `CASE WHEN regexp_full_match(${v}, '-?[0-9]+\\.0') THEN left(${v}, len(${v}) - 2) ELSE ${v} END`;
  });
}

/** The value's JSON text, where the columns have lost something of it. */
function exactText({ json, isTopLevel }: MixedColumns, variant: Variant): string {
  if (json === undefined) return ownText(variant);
  return isTopLevel ? `coalesce(${canonicalText(json, "$")}, ${ownText(variant)})` : json;
}

/** The JSON text of a column's values. Elements of different types have become texts in the column of a list. */
function variantText(columns: MixedColumns, variant: Variant): string {
  switch (variant.type.kind) {
    case "ARRAY":
      return `CASE WHEN ${variant.sql} IS NOT NULL THEN ${exactText(columns, variant)} END`;
    case "FLOAT64":
      return doubleText(variant.sql, exactText(columns, variant));
    default:
      return ownText(variant);
  }
}

/** The value. */
export function printMixed(columns: MixedColumns): string {
  const { alias, leaf, json } = columns;
  const texts = variantsOf(columns).map((variant) => variantText(columns, variant));
  if (json !== undefined && leaf.isPartial === true) texts.unshift(canonicalText(json, "$"));
  else if (json !== undefined && leaf.presence !== undefined)
    texts.push(`CASE WHEN ${alias}.${quoteIdentifier(leaf.presence)} THEN ${json} END`);
  return texts.length === 0 ? printNull(MIXED_TYPE) : `coalesce(${texts.join(", ")})`;
}

/** Conversions that columns do as the JSON text does; others go by way of it. */
const BY_COLUMNS: ReadonlySet<SqlType["kind"]> = new Set([
  ...(["INT64", "FLOAT64", "BOOL", "STRING", "BYTES", "DATE", "TIME", "DATETIME", "TIMESTAMP"] as const),
]);

/** What values sort by (see `mixedKey`); undefined where there are others than scalars. */
function printKey(columns: MixedColumns): string | undefined {
  const variants = variantsOf(columns);
  const { presence, isPartial } = columns.leaf;
  if (presence !== undefined || isPartial === true || variants.some(({ type }) => type.kind === "ARRAY"))
    return undefined;
  const of = (...kinds: readonly SqlType["kind"][]) => variants.filter(({ type }) => kinds.includes(type.kind));
  const numbers = of("INT64", "FLOAT64").map(({ sql }) => `CAST(${sql} AS DOUBLE)`);
  const texts = of("STRING").map(({ sql }) => sql);
  const number = `coalesce(${[...numbers, "CAST(0 AS DOUBLE)"].join(", ")})`;
  const text = `coalesce(${[...texts, "''"].join(", ")})`;
  const isAny = (found: readonly Variant[]) => found.map(({ sql }) => `${sql} IS NOT NULL`).join(" OR ") || "false";
  const rank = `CASE WHEN ${isAny(of("INT64", "FLOAT64"))} THEN 0 WHEN ${isAny(of("STRING"))} THEN 1 ELSE 2 END`;
  const key = `{'r': ${rank}, 'n': ${number}, 't': ${text}, 'v': ${printMixed(columns)}}`;
  return `CASE WHEN ${isAny(variants)} THEN ${key} END`;
}

/**
 * The value as one of the type, NULL where it is none; as MIXED: what it sorts by. Undefined where the whole value
 * must be looked at.
 */
export function printMixedAs(columns: MixedColumns, to: SqlType): string | undefined {
  if (to.kind === "MIXED") return printKey(columns);
  if (!BY_COLUMNS.has(to.kind) || columns.leaf.isPartial === true) return undefined;
  const values = variantsOf(columns).flatMap((variant) => variantAs(columns, variant, to) ?? []);
  if (values.length === 0) return printNull(to);
  return values.length === 1 ? values.join() : `coalesce(${values.join(", ")})`;
}

function safely(operand: string, from: SqlType, to: SqlType): string {
  return printCast({ operand, from, to, isSafe: true, timeZone: "UTC" });
}

function variantAs(columns: MixedColumns, variant: Variant, to: SqlType): string | undefined {
  const { sql, type } = variant;
  if (type.kind === "FLOAT64") return doubleAs(columns, variant, to);
  const isOther = (type.kind === "BOOL" && to.kind === "INT64") || (type.kind === "INT64" && to.kind === "BOOL");
  if (isOther || type.kind === "ARRAY" || !isCastable(type, to)) return undefined;
  if (type.kind !== "STRING" || to.kind !== "FLOAT64") return safely(sql, type, to);
  return plainTextTo(sql, to, (text, wanted) => ({ sql: safely(text, STRING_TYPE, wanted), canFail: false }));
}

function doubleAs(columns: MixedColumns, variant: Variant, to: SqlType): string | undefined {
  const { sql } = variant;
  const fromText = (text: string, wanted: SqlType) => ({ sql: safely(text, STRING_TYPE, wanted), canFail: false });
  switch (to.kind) {
    case "FLOAT64":
      return sql;
    case "STRING":
      return doubleText(sql, convertMixed(exactText(columns, variant), to, true, fromText).sql);
    case "INT64": {
      const wide = convertMixed(exactText(columns, variant), to, true, fromText).sql;
      return (
        `CASE WHEN ${sql} IS NULL THEN NULL WHEN abs(${sql}) <= ${MAX_EXACT} THEN CAST(round(${sql}) AS BIGINT) ` +
        `ELSE ${wide} END`
      );
    }
    default:
      return undefined;
  }
}
