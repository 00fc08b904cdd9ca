/** DuckDB's names of the physical types, and values of GoogleSQL types as DuckDB expressions. */

import type { ScalarKind, SqlType } from "../../../../googlesql/types.ts";
import { parseInterval } from "../../../../values/interval.ts";
import { shortestFloat64 } from "../../../../values/number-text.ts";
import { DECIMALS } from "../../functions/number/decimal.ts";
import { bigintSql, boolSql, NULL, numberSql, textSql } from "../../sql/atoms.ts";
import { castTo, structFieldSql } from "../../sql/forms.ts";
import { joinSql, type Sql, sql } from "../../sql/sql.ts";
import { BIGINT, BLOB, BOOLEAN, DATE, DOUBLE, INTEGER, INTERVAL, TIME, TIMESTAMP, VARCHAR } from "../../sql/types.ts";

const scalarTypes: Readonly<Record<ScalarKind, Sql>> = {
  INT64: BIGINT,
  FLOAT64: DOUBLE,
  NUMERIC: DECIMALS.NUMERIC.type,
  BIGNUMERIC: DECIMALS.BIGNUMERIC.type,
  BOOL: BOOLEAN,
  STRING: VARCHAR,
  BYTES: BLOB,
  DATE: DATE,
  TIME: TIME,
  DATETIME: TIMESTAMP,
  TIMESTAMP: TIMESTAMP,
  INTERVAL: INTERVAL,
  JSON: VARCHAR,
  UNKNOWN: BIGINT,
};

/** The DuckDB type that holds values of a GoogleSQL type, as SQL writes it. */
export function physicalTypeSql(type: SqlType): Sql {
  switch (type.kind) {
    case "ARRAY":
      return type.element.kind === "RECORD" ? VARCHAR : sql`${physicalTypeSql(type.element)}[]`;
    case "STRUCT": {
      const fields = type.fields.map((field, index) => sql`${structFieldSql(index)} ${physicalTypeSql(field.type)}`);
      return sql`STRUCT(${fields.length === 0 ? sql`${structFieldSql(0)} BOOLEAN` : joinSql(fields, ", ")})`;
    }
    case "RANGE": {
      const bound = physicalTypeSql(type.element);
      return sql`STRUCT("start" ${bound}, "end" ${bound})`;
    }
    case "RECORD":
    case "MIXED":
      return VARCHAR;
    default:
      return scalarTypes[type.kind];
  }
}

/** A NULL of the type. */
export function printNull(type: SqlType): Sql {
  return type.kind === "UNKNOWN" ? NULL : castTo(NULL, physicalTypeSql(type));
}

/** A field or an element of `whole`: for DuckDB that of a constant NULL has no type, and calls of it fail. */
export function printPart(part: Sql, whole: Sql, type: SqlType): Sql {
  return whole.isColumn || type.kind === "UNKNOWN" ? part : castTo(part, physicalTypeSql(type));
}

function printFloat64(text: string): Sql {
  const value = Number(text);
  if (!Number.isFinite(value)) return castTo(textSql(Number.isNaN(value) ? "NaN" : text), DOUBLE);
  // By way of text: DuckDB reads a bare `0.1` as a DECIMAL.
  return castTo(textSql(shortestFloat64(value)), DOUBLE);
}

function printInterval(text: string): Sql {
  const parts = parseInterval(text);
  const [months, days] = [castTo(numberSql(parts.months), INTEGER), castTo(numberSql(parts.days), INTEGER)];
  const micros = castTo(textSql(String(parts.micros)), BIGINT);
  return sql`(to_months(${months}) + to_days(${days}) + to_microseconds(${micros}))`;
}

/** A literal of the resolved query (see `LiteralExpr` for the texts), safe to place anywhere. */
export function printLiteral(type: SqlType, value: string | null): Sql {
  if (value === null) return printNull(type);
  switch (type.kind) {
    case "INT64":
      return bigintSql(BigInt(value));
    case "FLOAT64":
      return printFloat64(value);
    case "NUMERIC":
    case "BIGNUMERIC":
      return DECIMALS[type.kind].literal(value);
    case "BOOL":
      return boolSql(value === "true");
    case "BYTES":
      return sql`from_base64(${textSql(value)})`;
    case "DATE":
      return castTo(textSql(value), DATE);
    case "TIME":
      return castTo(textSql(value), TIME);
    case "DATETIME":
      return castTo(textSql(value), TIMESTAMP);
    case "TIMESTAMP":
      return sql`make_timestamp(CAST(${textSql(String(BigInt(value)))} AS BIGINT))`;
    case "INTERVAL":
      return printInterval(value);
    default:
      return textSql(value);
  }
}
