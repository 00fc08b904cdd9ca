import { createHash } from "node:crypto";
import { valueText } from "../engines/contract/event-line.ts";
import { WideNumber } from "../engines/contract/event-store.ts";
import type { EventValue } from "../engines/contract/query-engine.ts";
import type { AlertPlan } from "./alert.ts";
import type { Condition } from "./alert-form.ts";
import type { FoundGroup } from "./alert-state.ts";
import { cutText } from "./cut-text.ts";

/** A row of an answer, with all digits of its numbers. */
export type Row = Readonly<Record<string, unknown>>;

/** A notice has so many rows, and so many characters of them, at most; and those of one run together. */
const maxRows = 100;
const maxRowCharacters = 100_000;
const maxRunCharacters = 1_000_000;
/** The maximum length of a value within a text. Keys that are longer are digests: a state holds no long values. */
const maxValueLength = 300;

/** The groups of rows that meet the alert's condition, in the order of their first rows. */
export function findGroups(plan: AlertPlan, rows: readonly Row[]): readonly FoundGroup[] {
  const { condition, groupBy, firesOnMissing, name } = plan;
  if (rows.length === 0 && firesOnMissing) {
    return [{ key: "missing", labels: {}, value: undefined, message: `${name} has no rows`, rows: "[]", rowCount: 0 }];
  }
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    if (!meets(condition, row)) continue;
    const key = shorten(jsonOf(groupBy.map((column) => row[column] ?? null)));
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const maxCharacters = Math.min(maxRowCharacters, Math.floor(maxRunCharacters / Math.max(1, groups.size)));
  return [...groups].map(([key, found]) => {
    const [first = {}] = found;
    const { column } = condition;
    return {
      key,
      labels: Object.fromEntries(groupBy.map((each) => [each, textOf(first[each])])),
      value: column === undefined ? undefined : shortJsonOf(first[column]),
      message: writeMessage(plan, first, found.length),
      rows: writeRows(found, maxCharacters),
      rowCount: found.length,
    };
  });
}

/** NULL meets no condition on a column. */
function meets({ column, op, value }: Condition, row: Row): boolean {
  if (column === undefined || value === undefined) return true;
  const found = row[column] ?? null;
  if (found === null) return false;
  if (typeof value === "string") return (plainText(found) === value) === (op === "=");
  const number = numberOf(found);
  if (number === undefined) return false;
  switch (op) {
    case ">":
      return number > value;
    case ">=":
      return number >= value;
    case "<":
      return number < value;
    case "<=":
      return number <= value;
    case "!=":
      // Types of two kinds: the language compares them by their values.
      return !(number >= value && number <= value);
    default:
      return number >= value && number <= value;
  }
}

/** Types that JSON has no numbers for, such as NUMERIC, are texts of digits. */
function numberOf(value: unknown): number | bigint | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  const text = value instanceof WideNumber ? String(value) : value;
  return typeof text === "string" && /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;
}

const placeholder = /\{\{([^{}]+)\}\}/g;

/** The columns that a template names. */
export function columnsOf(template: string): readonly string[] {
  return [...template.matchAll(placeholder)].map(([, column = ""]) => column.trim());
}

function writeMessage({ message, name, groupBy, condition }: AlertPlan, row: Row, rowCount: number): string {
  if (message !== "") return message.replaceAll(placeholder, (_, column: string) => textOf(row[column.trim()]));
  const { column, op, value } = condition;
  const group = groupBy.map((each) => ` ${each}=${textOf(row[each])}`).join("");
  const reason = column === undefined ? `${rowCount} rows` : `${column} is ${textOf(row[column])} (${op} ${value})`;
  return `${name}:${group} ${reason}`;
}

function writeRows(rows: readonly Row[], maxCharacters: number): string {
  const texts: string[] = [];
  let length = 0;
  for (const row of rows.slice(0, maxRows)) {
    const text = jsonOf(row);
    length += text.length;
    if (length > maxCharacters) break;
    texts.push(text);
  }
  return `[${texts.join(",")}]`;
}

function jsonOf(value: unknown): string {
  return valueText((value ?? null) as EventValue);
}

/** The JSON of a value, or of its beginning as a text. */
function shortJsonOf(value: unknown): string {
  const json = jsonOf(value);
  return json.length > maxValueLength ? jsonOf(textOf(value)) : json;
}

function shorten(key: string): string {
  return key.length > maxValueLength ? createHash("sha256").update(key).digest("hex") : key;
}

function plainText(value: unknown): string {
  return typeof value === "string" ? value : jsonOf(value);
}

function textOf(value: unknown): string {
  const text = plainText(value);
  return cutText(text, maxValueLength);
}
