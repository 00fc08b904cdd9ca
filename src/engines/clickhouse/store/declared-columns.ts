/** Values of rows that were stored before a field was declared, put into the declared type's column. */
import { foldName } from "../../schema/declaration.ts";
import { INTEGER_TEXT, NUMBER_TEXT } from "../../schema/declared-value.ts";
import { liveColumn, type SchemaEntry, type ValueEntry, type ValueType } from "../../schema/schema-entry.ts";
import { quoteName, quoteText } from "../driver/quote.ts";

/** A text as a value of the type, NULL if it is not valid for it. */
function textTo(text: string, type: ValueType): string | undefined {
  switch (type) {
    case "STRING":
      return text;
    case "INT64":
      return `if(match(${text}, ${quoteText(`^${INTEGER_TEXT}$`)}), toInt64OrNull(${text}), NULL)`;
    case "FLOAT64":
      return `if(match(${text}, ${quoteText(`^${NUMBER_TEXT}$`)}), toFloat64OrNull(${text}), NULL)`;
    case "BOOL":
      return `multiIf(${text} = 'true', true, ${text} = 'false', false, NULL)`;
    default:
      return undefined;
  }
}

/** A value of another type in the declared one, NULL if it would lose something; undefined if no value fits. */
function convert(column: string, from: ValueType, to: ValueType): string | undefined {
  // What a column of these has lost is in the JSON alone.
  if (from.endsWith("[]") || from === "WIDE") return undefined;
  if (from === "STRING") return textTo(column, to);
  if (to === "STRING") return `toString(${column})`;
  if (to === "FLOAT64" && from === "INT64") return `toFloat64(${column})`;
  if (to === "INT64" && from === "FLOAT64") {
    return `if(${column} = trunc(${column}) AND abs(${column}) < 9e18, toInt64(${column}), NULL)`;
  }
  return undefined;
}

/** The scalar's text where the JSON has one and every record above it is one object, else NULL. */
function jsonText(entries: readonly SchemaEntry[], path: string): string | undefined {
  const [top = "", ...below] = path.split(".");
  const columnAt = (at: string) => {
    const found = entries.find((entry) => entry.role === "json" && foldName(entry.path) === foldName(at));
    return found === undefined ? null : liveColumn(found);
  };
  const own = columnAt(top);
  const column = own ?? columnAt("");
  if (column === null || (own !== null && below.length === 0)) return undefined;
  const quoted = quoteName(column);
  const places = own === null ? ["1", quoteText(top)] : [];
  const conditions: string[] = [];
  for (const name of below) {
    conditions.push(`JSONLength(${[quoted, ...places].join(", ")}) = 1`);
    places.push("1", quoteText(name));
  }
  const place = [quoted, ...places].join(", ");
  conditions.push(`JSONType(${place}) NOT IN ('Array', 'Object', 'Null')`);
  const text = `if(JSONType(${place}) = 'String', JSONExtractString(${place}), JSONExtractRaw(${place}))`;
  return `if(isNotNull(${quoted}) AND ${conditions.join(" AND ")}, ${text}, NULL)`;
}

/** A declared column and the value that fills it. */
export interface FilledColumn {
  readonly column: string;
  /** The value for rows whose column is NULL; NULL if there is none. */
  readonly value: string;
}

/** All other places of a field, for rows that its column does not have; undefined where there are none. */
export function fillDeclared(entries: readonly SchemaEntry[], path: string, type: ValueType): FilledColumn | undefined {
  const values = entries.filter(
    (entry): entry is ValueEntry => entry.role === "value" && foldName(entry.path) === foldName(path),
  );
  const declared = values.findLast((entry) => entry.path === path && entry.type === type && entry.column !== null);
  if (declared?.column == null || type.endsWith("[]")) return undefined;
  const sources: string[] = [];
  for (const other of values) {
    const column = liveColumn(other);
    if (column === null || column === declared.column) continue;
    const value = convert(quoteName(column), other.type, type);
    if (value !== undefined) sources.push(value);
  }
  if (values.some((entry) => liveColumn(entry) === null)) {
    for (const spelling of new Set(values.map((entry) => entry.path))) {
      const text = jsonText(entries, spelling);
      const value = text === undefined ? undefined : textTo(text, type);
      if (value !== undefined) sources.push(value);
    }
  }
  return sources.length === 0 ? undefined : { column: declared.column, value: `coalesce(${sources.join(", ")})` };
}
