import type { Field } from "./values.ts";

export type Language = "lql" | "sql";

/** LQL names fields by letters, digits and underscores. */
const lqlPath = /^[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*$/;

/** True where a condition on the field can be written. */
export function canFilter(language: Language, path: string): boolean {
  return language === "sql" || lqlPath.test(path);
}

/** The condition that a field has a value, in LQL; null is a field that is missing. */
export function lqlClause(path: string, value: string | null, type: string | undefined, isExcluded: boolean): string {
  const short = path.startsWith("metadata.") ? `m.${path.slice("metadata.".length)}` : path;
  const isNumber = /^(INT64|FLOAT64|NUMERIC|BIGNUMERIC)$/.test(type ?? "");
  const isPlain = isNumber ? /^-?\d+(\.\d+)?$/ : /^(?!(?:NULL|true|false)$)[A-Za-z_][A-Za-z0-9_]*$/;
  const isBool = type === "BOOL" && (value === "true" || value === "false");
  const shown = value === null ? "NULL" : isBool || isPlain.test(value) ? value : quoteLql(value);
  return `${isExcluded ? "-" : ""}${short}:${shown}`;
}

function quoteLql(value: string): string {
  return `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

function quoteSql(value: string): string {
  return JSON.stringify(value);
}

/** The same in SQL. */
export function sqlCondition(
  path: string,
  value: string | null,
  type: string | undefined,
  isExcluded: boolean,
): string {
  const name = path
    .split(".")
    .map((part) => (/^[A-Za-z_][A-Za-z0-9_]*$/.test(part) ? part : `\`${part.replaceAll(/[\\`]/g, "\\$&")}\``))
    .join(".");
  if (value === null) return `${name} IS ${isExcluded ? "NOT " : ""}NULL`;
  const isNumber = /^(INT64|FLOAT64|NUMERIC|BIGNUMERIC)$/.test(type ?? "") && /^-?\d+(\.\d+)?$/.test(value);
  const isBool = type === "BOOL" && (value === "true" || value === "false");
  const shown = isNumber || isBool ? value : quoteSql(value);
  return isExcluded ? `(${name} = ${shown}) IS NOT TRUE` : `${name} = ${shown}`;
}

/** The query with one more condition; a clause that stands there already is taken out, and its opposite replaced. */
export function withFilter(
  language: Language,
  text: string,
  { path, type }: { readonly path: string; readonly type: string | undefined },
  value: string | null,
  isExcluded: boolean,
): string {
  if (language === "sql") return withSqlCondition(text, sqlCondition(path, value, type, isExcluded));
  const clause = lqlClause(path, value, type, isExcluded);
  const opposite = lqlClause(path, value, type, !isExcluded);
  const clauses = splitClauses(text);
  const rest = clauses.filter((each) => each !== opposite);
  if (rest.includes(clause)) return rest.filter((each) => each !== clause).join(" ");
  return [...rest, clause].join(" ");
}

/** The clauses of an LQL text that stand side by side; quotes and parentheses hold theirs together. */
export function splitClauses(text: string): readonly string[] {
  return text.match(/(?:"(?:\\.|[^"\\])*"|\((?:"(?:\\.|[^"\\])*"|[^()"])*\)|[^\s"(])+/g) ?? [];
}

const ending = /\s+(?:ORDER\s+BY|LIMIT)\s[^()]*$/i;

function withSqlCondition(text: string, condition: string): string {
  const trimmed = text.trim().replace(/;$/, "");
  const isPlain = /^SELECT\s/i.test(trimmed) && !/\|>|\b(?:GROUP|HAVING|UNION|JOIN|DISTINCT|WITH)\b/i.test(trimmed);
  if (!isPlain) return `${trimmed}\n|> WHERE ${condition}`;
  const tail = ending.exec(trimmed)?.[0] ?? "";
  const head = trimmed.slice(0, trimmed.length - tail.length);
  return `${head}\n${/\bWHERE\b/i.test(head) ? "  AND" : "WHERE"} ${condition}${tail.replace(/^\s+/, "\n")}`;
}

/** A query of all rows of a table, to begin with. */
export function sqlTemplate(table: string): string {
  const name = /^[A-Za-z_][A-Za-z0-9_]*$/.test(table) ? table : `\`${table}\``;
  return `SELECT *\nFROM ${name}\nORDER BY timestamp DESC`;
}

/** The LQL text that is sent: of the table and time that are chosen beside it, with all columns unless it says which. */
export function completeLql(text: string, table: string | undefined, time: string | undefined): string {
  return [text.trim(), lqlCompletion(text, table, time)].filter((each) => each !== "").join(" ");
}

/** Returns the text that `completeLql` appends. */
export function lqlCompletion(text: string, table: string | undefined, time: string | undefined): string {
  const clauses = splitClauses(text);
  const has = (pattern: RegExp) => clauses.some((clause) => pattern.test(clause));
  const more: string[] = [];
  if (table !== undefined && !has(/^(f|from):/)) more.push(`f:${table}`);
  if (time !== undefined) more.push(`t:${time}`);
  if (!has(/^(s|select|c|chart):/)) more.push("s:*");
  return more.join(" ");
}

/** The type of a field; undefined where it is not known. */
export function typeOf(fields: readonly Field[], path: string): string | undefined {
  return fields.find((field) => field.path === path)?.type;
}
