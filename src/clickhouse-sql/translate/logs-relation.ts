import type { Expression, Query, SelectItem, TableExpression } from "../../googlesql/ast.ts";
import type { Span } from "../../googlesql/diagnostic.ts";
import { call, cast, fieldOf, identifier, isNull, select, text } from "../../lql/sql-nodes.ts";
import { type LogsTable, listKeys, readField } from "./table-fields.ts";
import { literalText, orElse, type Typed, typed } from "./typed.ts";

/** A table, and what the column `source` says of its rows. */
export interface LogsSource {
  readonly source: string;
  readonly table: LogsTable;
}

const rowName = "logs_row";
/** Fields that show how severe a line is; the first that has a value counts. */
const severityFields = ["parsed.error_severity", "level"];
/** The severity of lines that show none, as requests at a gateway. */
const plainSeverity = "INFO";

/** The columns of `logs`, as they are in other queries; and what rows are made of where they come from several tables. */
type Part =
  | "id"
  | "timestamp"
  | "event_message"
  | "severity_text"
  | "source"
  | "log_attributes"
  | "keys"
  | `[${string}`;

/**
 * The table `logs` as one SELECT reads it: rows of one table of the endpoint as they are, or of several of them, each
 * with the columns that the query reads. Tables without any of them are still read for their number of rows.
 */
export class LogsRelation {
  readonly #sources: readonly LogsSource[];
  readonly #span: Span;
  /** The parts that the query reads of several tables, and the columns' names. */
  readonly #columns = new Map<Part, string>();

  constructor(sources: readonly LogsSource[], span: Span) {
    this.#sources = sources;
    this.#span = span;
  }

  /** A column of `logs`; undefined where it has none of that name. */
  column(name: string, span: Span): Typed | undefined {
    switch (name) {
      case "id":
      case "event_message":
      case "severity_text":
      case "source":
      case "timestamp":
      case "log_attributes":
        return this.#read(name, span);
      default:
        return undefined;
    }
  }

  /** `log_attributes['key']`: a text, empty where a row has no such key. */
  attribute(key: string, span: Span): Typed {
    return this.#read(`[${key}`, span);
  }

  /** `mapKeys(log_attributes)`, with NULL for each key that the row lacks. */
  keys(span: Span): Typed {
    return this.#read("keys", span);
  }

  /** FROM, once everything that the query reads has been asked for. */
  from(): TableExpression {
    const span = this.#span;
    const alias = identifier(rowName, span);
    const [only] = this.#sources;
    if (only !== undefined && this.#sources.length === 1) return tableOf(only, alias, span);
    const inputs = this.#sources.map((source) => this.#branch(source));
    const body = { kind: "SetOperation", mode: { operator: "UNION", isAll: true }, inputs, span } as const;
    const query: Query = { kind: "Query", body, pipes: [], span };
    return { kind: "TableSubquery", query, alias, suffixes: [], span };
  }

  #read(part: Part, span: Span): Typed {
    const [only] = this.#sources;
    if (only !== undefined && this.#sources.length === 1) return readPart(only, part, span);
    const name = this.#columns.get(part) ?? `column_${this.#columns.size}`;
    this.#columns.set(part, name);
    return typed(kindOf(part), fieldOf([rowName, name], span));
  }

  #branch(source: LogsSource) {
    const span = this.#span;
    const items = [...this.#columns].map(([part, name]) => select(readPart(source, part, span).node, name, span));
    const none: SelectItem = select({ kind: "IntLiteral", text: "1", span }, "row", span);
    const from = tableOf(source, identifier(rowName, span), span);
    const all = items.length === 0 ? [none] : items;
    return { kind: "Select", isDistinct: false, items: all, from, windows: [], span } as const;
  }
}

function kindOf(part: Part) {
  if (part === "timestamp") return "time";
  if (part === "log_attributes") return "map";
  return part === "keys" ? "array" : "string";
}

function tableOf({ table }: LogsSource, alias: ReturnType<typeof identifier>, span: Span): TableExpression {
  const path = { kind: "Path", parts: [identifier(table.name, span)], span } as const;
  return { kind: "TableReference", path, alias, suffixes: [], span };
}

function readPart({ source, table }: LogsSource, part: Part, span: Span): Typed {
  const row = identifier(rowName, span);
  switch (part) {
    case "id":
      return typed("string", fieldOf([rowName, "id"], span));
    case "timestamp":
      return typed("time", fieldOf([rowName, "timestamp"], span));
    case "event_message":
      return orElse(fieldOf([rowName, "event_message"], span), "string", text("", span), span);
    case "source":
      return literalText(source, span);
    case "severity_text":
      return typed("string", call("UPPER", [severityOf(table, row, span)], span));
    case "log_attributes":
      return typed("map", mapOf(table, row, span));
    case "keys":
      return typed("array", { kind: "ArrayConstructor", elements: keysOf(table, row, span), span });
    default:
      return attributeOf(table, row, part.slice(1), span);
  }
}

function attributeOf(table: LogsTable, row: Expression, key: string, span: Span): Typed {
  const field = readField(table, row, key, span);
  if (field === undefined) return literalText("", span);
  const value = orElse(field.text, "string", text("", span), span);
  return field.number === undefined ? value : { ...value, number: field.number };
}

function severityOf(table: LogsTable, row: Expression, span: Span): Expression {
  const values = severityFields.flatMap((key) => {
    const field = readField(table, row, key, span);
    return field === undefined ? [] : [call("NULLIF", [field.text, text("", span)], span)];
  });
  const plain = text(plainSeverity, span);
  return values.length === 0 ? plain : call("COALESCE", [...values, plain], span);
}

/** An object with the keys that a row has a value for. */
function mapOf(table: LogsTable, row: Expression, span: Span): Expression {
  const members = listKeys(table).flatMap((key) => {
    const field = readField(table, row, key, span);
    return field === undefined ? [] : [text(key, span), field.text];
  });
  return call("JSON_STRIP_NULLS", [call("JSON_OBJECT", members, span)], span);
}

function keysOf(table: LogsTable, row: Expression, span: Span): readonly Expression[] {
  const keys = listKeys(table).flatMap((key): Expression[] => {
    const field = readField(table, row, key, span);
    if (field === undefined) return [];
    return [call("IF", [isNull(field.text, span), { kind: "NullLiteral", span }, text(key, span)], span)];
  });
  return keys.length === 0 ? [cast({ kind: "NullLiteral", span }, "STRING", false, span)] : keys;
}
