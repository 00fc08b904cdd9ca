import { masks } from "../../endpoints/explore/patterns-query.ts";
import { formatIsoTimestamp } from "../../values/iso-timestamp.ts";
import type { LineFilter, Matcher, Stage } from "../logql/logql-ast.ts";
import { compileMatcher } from "../pipeline/regexp.ts";
import type { LabelField } from "./event-labels.ts";
import type { LokiTable } from "./find-tables.ts";

/** Conditions that the store applies. Times are microseconds since 1970: the first included, the last not. */
export interface Selection {
  readonly matchers: readonly Matcher[];
  readonly lineFilters: readonly LineFilter[];
  readonly fromUs: bigint;
  readonly toUs: bigint;
}

/** A text as a literal. JSON's escapes are GoogleSQL's too. */
const literal = (text: string) => JSON.stringify(text.toWellFormed());
const quoteName = (name: string) => `\`${name.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}\``;

/** The line filters that the store can apply, and the stages that are left for us. */
export function splitStages(stages: readonly Stage[]) {
  const lineFilters: LineFilter[] = [];
  const rest: Stage[] = [];
  let isOwnLine = true;
  for (const stage of stages) {
    if (isOwnLine && stage.kind === "line" && isStoreTest(stage)) lineFilters.push(stage);
    else rest.push(stage);
    // What is behind these sees another line.
    if (stage.kind === "line_format" || stage.kind === "unpack" || stage.kind === "decolorize") isOwnLine = false;
  }
  return { lineFilters, rest };
}

function isStoreTest({ test, alternatives }: LineFilter): boolean {
  return test !== "pattern" && alternatives.every(({ isIp }) => !isIp);
}

/** The query of a table's lines; undefined where its labels match none. */
export function selectLines(table: LokiTable, selection: Selection, order: string, limit: number): string | undefined {
  const where = buildConditions(table, selection);
  if (where === undefined) return undefined;
  const key = table.hasId ? `t.timestamp ${order}, t.id ${order}` : `t.timestamp ${order}`;
  const rows = `SELECT * FROM ${quoteName(table.name)} AS t WHERE ${where} ORDER BY ${key} LIMIT ${limit}`;
  const columns = [
    `${literal(table.name)} AS source`,
    "UNIX_MICROS(t.timestamp) AS us",
    `${table.hasId ? "t.id" : '""'} AS id`,
    'IFNULL(t.event_message, "") AS line',
    "TO_JSON_STRING(t) AS fields",
  ];
  return `SELECT ${columns.join(", ")} FROM (${rows}) AS t`;
}

/** The query of a table's lines as it is followed, of whatever time; of none where its labels match none yet. */
export function followLines(
  table: LokiTable,
  matchers: readonly Matcher[],
  lineFilters: readonly LineFilter[],
): string {
  const columns = [
    "t.timestamp",
    ...(table.hasId ? ["t.id"] : []),
    'IFNULL(t.event_message, "") AS line',
    "TO_JSON_STRING(t) AS fields",
  ];
  const where = [...(matchLabels(table, matchers) ?? ["FALSE"]), ...lineFilters.map(testLine)];
  const condition = where.length === 0 ? "" : ` WHERE ${where.join(" AND ")}`;
  return `SELECT ${columns.join(", ")} FROM ${quoteName(table.name)} AS t${condition} ORDER BY t.timestamp DESC`;
}

/** Equal parts of time in which lines are counted: of `firstUs`, not included, and so many microseconds each. */
export interface Buckets {
  readonly firstUs: bigint;
  readonly widthUs: bigint;
}

/**
 * The query of how many lines and bytes a table's streams have, by bucket where these are given. Its columns are the
 * labels of `names`, in their order, as `label_0` and so on.
 */
export function countStreams(
  table: LokiTable,
  names: readonly string[],
  selection: Selection,
  buckets: Buckets | undefined,
): string | undefined {
  const where = buildConditions(table, selection);
  if (where === undefined) return undefined;
  const labels = names.map((name, index) => `${labelText(table, name)} AS label_${index}`);
  const bucket =
    buckets === undefined
      ? "0"
      : `DIV(UNIX_MICROS(t.timestamp) - ${buckets.firstUs} + ${buckets.widthUs - 1n}, ${buckets.widthUs})`;
  const columns = [
    ...labels,
    `${bucket} AS bucket`,
    "COUNT(*) AS entries",
    "SUM(BYTE_LENGTH(t.event_message)) AS bytes",
  ];
  const keys = columns.slice(0, -2).map((_, index) => index + 1);
  return `SELECT ${columns.join(", ")} FROM ${quoteName(table.name)} AS t WHERE ${where} GROUP BY ${keys.join(", ")}`;
}

/**
 * The query of how many lines of each pattern tables have, by equal parts of time since 1970: the patterns of the most
 * lines come first, up to a number of rows. Undefined where no table's labels match.
 */
export function countPatterns(
  tables: readonly LokiTable[],
  selection: Selection,
  widthUs: number,
  limit: number,
): string | undefined {
  const masked = masks.reduce((line, [pattern, mask]) => {
    return `REGEXP_REPLACE(${line}, ${literal(pattern)}, ${literal(mask)})`;
  }, 'IFNULL(t.event_message, "")');
  const bucket = `DIV(UNIX_MICROS(t.timestamp), ${widthUs})`;
  const selects = tables.flatMap((table) => {
    const where = buildConditions(table, selection);
    if (where === undefined) return [];
    return `SELECT ${masked} AS pattern, ${bucket} AS bucket FROM ${quoteName(table.name)} AS t WHERE ${where}`;
  });
  if (selects.length === 0) return undefined;
  const counts = "COUNT(*) AS entries, SUM(COUNT(*)) OVER (PARTITION BY pattern) AS total";
  const rows = `SELECT pattern, bucket, ${counts} FROM (${selects.join("\nUNION ALL\n")}) GROUP BY pattern, bucket`;
  return `SELECT * FROM (${rows} ORDER BY total DESC, pattern, bucket LIMIT ${limit})`;
}

function labelText({ constant, labels, pushedFields }: LokiTable, name: string): string {
  const value = constant.get(name);
  if (value !== undefined) return literal(value);
  const paths = [...labels, ...pushedFields].filter((each) => each.name === name).flatMap((each) => each.paths);
  return paths.length === 0 ? '""' : fieldText({ name, paths });
}

/** The value of a label as text, empty where it has none. Records are lists of one. */
function fieldText({ paths }: LabelField): string {
  const values = paths.map((path) => {
    const place = path.map((name, index) => `${quoteName(name)}${index < path.length - 1 ? "[SAFE_OFFSET(0)]" : ""}`);
    return `NULLIF(CAST(t.${place.join(".")} AS STRING), "")`;
  });
  return `COALESCE(${values.join(", ")}, "")`;
}

function buildConditions(table: LokiTable, selection: Selection): string | undefined {
  const { matchers, lineFilters, fromUs, toUs } = selection;
  const labels = matchLabels(table, matchers);
  if (labels === undefined) return undefined;
  const times = [
    `t.timestamp >= TIMESTAMP "${formatIsoTimestamp(fromUs)}"`,
    `t.timestamp < TIMESTAMP "${formatIsoTimestamp(toUs)}"`,
  ];
  return [...times, ...labels, ...lineFilters.map(testLine)].join(" AND ");
}

/** The conditions of a table's labels; undefined where those that all its lines have, or none has, do not match. */
function matchLabels(table: LokiTable, matchers: readonly Matcher[]): readonly string[] | undefined {
  const conditions: string[] = [];
  for (const matcher of matchers) {
    const field = table.labels.find(({ name }) => name === matcher.name);
    if (field !== undefined) conditions.push(compareText(fieldText(field), matcher));
    else if (!compileMatcher(matcher)(table.constant.get(matcher.name) ?? "")) return undefined;
  }
  return conditions;
}

function compareText(value: string, { operator, value: text }: Matcher): string {
  if (operator === "=" || operator === "!=") return `${value} ${operator} ${literal(text)}`;
  const test = `REGEXP_CONTAINS(${value}, ${literal(`^(?s:${text})$`)})`;
  return operator === "=~" ? test : `NOT ${test}`;
}

function testLine({ test, isNegated, alternatives }: LineFilter): string {
  const line = 'IFNULL(t.event_message, "")';
  const tests = alternatives.map(({ text }) => {
    if (test === "regexp") return `REGEXP_CONTAINS(${line}, ${literal(text)})`;
    return text === "" ? "TRUE" : `STRPOS(${line}, ${literal(text)}) > 0`;
  });
  return `${isNegated ? "NOT " : ""}(${tests.join(" OR ")})`;
}
