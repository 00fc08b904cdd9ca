/**
 * Values of any type as text, printed by type: as CAST(x AS STRING) writes them, as %t and as %T of FORMAT do.
 * NULL of the value is NULL of the text. Source: "%t and %T behavior" of the GoogleSQL string functions page.
 */

import type { SqlType, StructType } from "../../../../googlesql/types.ts";
import { constant, listSql, NULL, textSql, variableSql } from "../../sql/atoms.ts";
import { castTo, lambda } from "../../sql/forms.ts";
import { EMPTY, type Sql, sql } from "../../sql/sql.ts";
import { VARCHAR } from "../../sql/types.ts";
import { computeOnce, writeStruct } from "../compute-once.ts";
import { mixedText } from "../mixed.ts";
import { DECIMALS } from "../number/decimal.ts";
import { printToString } from "../time/temporal-texts.ts";

/** `cast`: CAST(x AS STRING); `plain`: %t; `literal`: %T. */
type TextStyle = "cast" | "plain" | "literal";

export interface TextOptions {
  readonly style: TextStyle;
  /** IANA name of the session's time zone. */
  readonly timeZone: string;
}

/** With `.0` where the value is whole, as %t and %T have it. */
function float64Text(value: Sql, style: TextStyle): Sql {
  if (style === "cast") return sql`lw_float64_to_text(${value})`;
  return computeOnce([sql`lw_float64_to_text(${value})`, value], "number", (v = EMPTY, x = EMPTY) => {
    const special = style === "plain" ? v : sql`'CAST("' || lower(${v}) || '" AS FLOAT64)'`;
    return sql`
      CASE WHEN ${x} = 0 THEN CAST(${x} AS VARCHAR) WHEN regexp_full_match(${v}, '-?[0-9]+') THEN ${v} || '.0'
      WHEN ends_with(${v}, 'f') OR ${v} = 'NaN' THEN ${special} ELSE ${v} END
    `;
  });
}

/** `TYPE "text"` in style `literal`, the text itself otherwise. */
function typedLiteral(prefix: string, text: Sql, style: TextStyle, suffix = ""): Sql {
  return style === "literal" ? sql`(${textSql(`${prefix} "`)} || ${text} || ${textSql(`"${suffix}`)})` : sql`(${text})`;
}

function structText(type: StructType, value: Sql, options: TextOptions, depth: number): Sql {
  const open = type.fields.length < 2 && options.style === "literal" ? "STRUCT(" : "(";
  return writeStruct(value, depth, NULL, (fieldAt) => {
    const fields = type.fields.map((field, index) => {
      const text = nestedText(field.type, fieldAt(index), options, depth + 1);
      return sql`coalesce(${text}, 'NULL')`;
    });
    return listSql(open, fields, ", ", ")");
  });
}

function rangeText(element: SqlType, value: Sql, options: TextOptions, depth: number): Sql {
  return computeOnce([value], `range${depth}`, (v) => {
    const bound = (name: string) => {
      const text = nestedText(
        element,
        sql`struct_extract(${v}, ${textSql(name)})`,
        { ...options, style: "plain" },
        depth + 1,
      );
      return sql`coalesce(${text}, 'UNBOUNDED')`;
    };
    const text = sql`'[' || ${bound("start")} || ', ' || ${bound("end")} || ')'`;
    return sql`CASE WHEN ${v} IS NOT NULL THEN ${typedLiteral(`RANGE<${element.kind}>`, text, options.style)} END`;
  });
}

function nestedText(type: SqlType, value: Sql, options: TextOptions, depth: number): Sql {
  const { style } = options;
  const isLiteral = style === "literal";
  switch (type.kind) {
    case "INT64":
    case "BOOL":
      return castTo(value, VARCHAR);
    case "FLOAT64":
      return float64Text(value, style);
    case "NUMERIC":
    case "BIGNUMERIC":
      return typedLiteral(type.kind, DECIMALS[type.kind].toText(value), style);
    case "STRING":
      return isLiteral ? sql`lw_string_literal(${value})` : value;
    case "BYTES":
      if (style === "cast") return sql`decode(${value})`;
      return isLiteral ? sql`lw_bytes_literal(${value})` : sql`lw_bytes_escaped(${value})`;
    case "DATE":
    case "TIME":
    case "DATETIME":
    case "TIMESTAMP":
    case "INTERVAL": {
      const text = printToString(value, type, textSql(options.timeZone));
      return typedLiteral(type.kind, text, style, type.kind === "INTERVAL" ? " YEAR TO SECOND" : "");
    }
    case "JSON":
      return isLiteral ? sql`('JSON ' || lw_string_literal(${value}))` : value;
    case "RECORD":
      return value;
    case "MIXED":
      return isLiteral ? value : mixedText(value);
    case "UNKNOWN":
      return constant`CAST(NULL AS VARCHAR)`;
    case "RANGE":
      return rangeText(type.element, value, options, depth);
    case "STRUCT":
      return structText(type, value, options, depth);
    case "ARRAY": {
      if (type.element.kind === "RECORD") return value;
      const element = variableSql(`lw_element${depth}`);
      const text = sql`coalesce(${nestedText(type.element, element, options, depth + 1)}, 'NULL')`;
      return sql`('[' || array_to_string(list_transform(${value}, ${lambda(element, text)}), ', ') || ']')`;
    }
  }
}

/** Prints the text of a printed expression of the type. */
export function valueText(type: SqlType, value: Sql, options: TextOptions): Sql {
  return nestedText(type, value, options, 0);
}
