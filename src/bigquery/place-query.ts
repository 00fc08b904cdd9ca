import { nodesOf } from "../googlesql/ast/walk.ts";
import type { Parameter, Query, TableReference, WithEntry } from "../googlesql/ast.ts";
import { GoogleSqlError, positionAt } from "../googlesql/diagnostic.ts";
import { parseClientQuery } from "../googlesql/parse.ts";
import { ServiceError } from "../shared/errors.ts";
import { type Dataset, findDataset } from "./datasets.ts";
import { type QueryParameter, toLiteral } from "./parameter-literal.ts";

/** A query as a client sends it. */
export interface SentQuery {
  readonly text: string;
  readonly defaultDataset: string | undefined;
  readonly parameters: readonly QueryParameter[];
}

/** The same as a query over the tables of one endpoint. */
export interface PlacedQuery {
  readonly dataset: Dataset;
  readonly sql: string;
  /** Moves the place of an error in `sql` to where it stands in the client's text. */
  moveError(error: unknown): unknown;
}

/** A part of the client's text, and what stands in its place. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface FoundNodes {
  readonly tables: readonly TableReference[];
  readonly parameters: readonly Parameter[];
  readonly entries: readonly WithEntry[];
}

/**
 * Finds the dataset that a query reads, takes its name off the tables, and writes the values of parameters in their
 * places, but those that the endpoint declares: these are bound, and may be pinned. Only places that the parser found
 * are written to. Throws `ServiceError` with the place in the client's text.
 */
export function placeQuery(sent: SentQuery, datasets: readonly Dataset[]): PlacedQuery {
  const nodes = parse(sent.text);
  const named = nodes.tables.flatMap((table) => nameTable(table, nodes, datasets, sent.text));
  const dataset = chooseDataset(sent, named, nodes, datasets);
  const declared = new Set(dataset.endpoint.contract.parameters.map(({ name }) => name.toLowerCase()));
  const values = nodes.parameters
    .filter(({ name }) => name === undefined || !declared.has(name.toLowerCase()))
    .map((parameter): Edit => ({ ...parameter.span, text: literalOf(parameter, sent) }));
  const edits = [...named.map(({ edit }) => edit), ...values].sort((a, b) => a.start - b.start);
  let sql = "";
  let copied = 0;
  for (const { start, end, text } of edits) {
    sql += sent.text.slice(copied, start) + text;
    copied = end;
  }
  sql += sent.text.slice(copied);
  return { dataset, sql, moveError: (error) => moveError(error, sent.text, sql, edits) };
}

function parse(text: string): FoundNodes {
  const query = parseText(text);
  const clauses = [
    ...nodesOf(query, "Query").flatMap((each) => each.with ?? []),
    ...nodesOf(query, "PipeWith").map((each) => each.with),
  ];
  return {
    tables: nodesOf(query, "TableReference"),
    parameters: nodesOf(query, "Parameter"),
    entries: clauses.flatMap(({ entries }) => entries),
  };
}

function parseText(text: string): Query {
  try {
    return parseClientQuery(text);
  } catch (error) {
    if (error instanceof GoogleSqlError) throw refuseAt(error, text, error.diagnostics[0].span.start);
    throw error;
  }
}

function refuseAt(error: GoogleSqlError, text: string, offset: number): ServiceError {
  const [{ code, message }] = error.diagnostics;
  return new ServiceError(code, message, { ...positionAt(text, offset), cause: error });
}

/** Whether a path may name a table: that of a field (`FROM dataset.logs, logs.metadata`) names none. */
function hasTable({ endpoint: { savedQuery, definition } }: Dataset, table: string): boolean {
  if (/[`\\]/.test(table)) return false;
  const names = savedQuery.with?.entries.map(({ name }) => name.name) ?? [];
  return [...names, ...Object.keys(definition.tableAliases)].some((each) => each.toLowerCase() === table.toLowerCase());
}

/** A table that is named with its dataset, and the text of its name alone; none for other names. */
function nameTable(
  { path, span }: TableReference,
  { entries }: FoundNodes,
  datasets: readonly Dataset[],
  text: string,
): readonly { readonly dataset: Dataset; readonly edit: Edit }[] {
  const parts = path.parts.flatMap(({ name }) => name.split("."));
  const [table = "", id] = [parts.at(-1), parts.at(-2)];
  const isNamed = parts.length === 2 || parts.length === 3;
  const dataset = isNamed ? datasets.find((each) => each.id === id && hasTable(each, table)) : undefined;
  if (dataset === undefined) return [];
  const isHidden = entries.some(
    (entry) =>
      entry.name.name.toLowerCase() === table.toLowerCase() &&
      !(entry.span.start <= span.start && span.end <= entry.span.end),
  );
  if (isHidden) {
    throw new ServiceError("ambiguous_name", `${table} is a table of the dataset and one of the query's own WITH`, {
      ...positionAt(text, span.start),
      hint: "Give the WITH table another name.",
    });
  }
  return [{ dataset, edit: { ...path.span, text: `\`${table}\`` } }];
}

/** Throws where the query reads several datasets, or does not say which. */
function chooseDataset(
  { defaultDataset, text }: SentQuery,
  named: readonly { readonly dataset: Dataset; readonly edit: Edit }[],
  { tables, entries }: FoundNodes,
  datasets: readonly Dataset[],
): Dataset {
  const [first] = named;
  const other = named.find(({ dataset }) => dataset !== first?.dataset);
  if (other !== undefined) {
    const message = "A query reads the tables of one dataset; this one reads a second";
    throw new ServiceError("unsupported", message, positionAt(text, other.edit.start));
  }
  if (first !== undefined) return first.dataset;
  if (defaultDataset !== undefined) return findDataset(datasets, defaultDataset);
  const own = new Set(entries.map(({ name }) => name.name.toLowerCase()));
  const outside = tables.find(({ path: { parts } }) => !own.has(parts[0]?.name.toLowerCase() ?? ""));
  if (outside !== undefined) {
    const name = outside.path.parts.map((part) => part.name).join(".");
    const message =
      outside.path.parts.length === 1 && !name.includes(".")
        ? `Table ${JSON.stringify(name)} must be qualified with a dataset (e.g. dataset.table)`
        : `Not found: Table ${name}`;
    throw new ServiceError("sandbox_table_denied", message, positionAt(text, outside.span.start));
  }
  // Clients test a connection by SELECT 1.
  const isFree = ({ endpoint }: Dataset) => endpoint.contract.parameters.every(({ isRequired }) => !isRequired);
  const any = datasets.find(isFree) ?? datasets[0];
  if (any !== undefined) return any;
  throw new ServiceError("insufficient_scope", "The access token has no scope for an endpoint that takes queries");
}

function literalOf({ name, position, span }: Parameter, { parameters, text }: SentQuery): string {
  const found =
    name === undefined
      ? parameters.filter((each) => (each.name ?? "") === "")[(position ?? 0) - 1]
      : parameters.find((each) => each.name?.toLowerCase() === name.toLowerCase());
  if (found !== undefined) return toLiteral(found);
  const shown = name === undefined ? `Positional parameter ${position}` : `Query parameter '${name}'`;
  throw new ServiceError("unknown_parameter", `${shown} has no value`, positionAt(text, span.start));
}

/** Hints have the line as it was run, so that they are left out. */
function moveError(error: unknown, text: string, sql: string, edits: readonly Edit[]): unknown {
  if (!(error instanceof ServiceError)) return error;
  const { line, column, hint: _, ...details } = error.details;
  if (line === undefined || column === undefined) return error;
  const place = positionAt(text, moveOffset(offsetOf(sql, line, column), edits));
  return new ServiceError(error.code, error.message, { ...details, ...place });
}

function offsetOf(text: string, line: number, column: number): number {
  const lines = text.split(/(?<=\r\n|\n|\r(?!\n))/);
  const before = lines.slice(0, line - 1).join("").length;
  return before + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
}

function moveOffset(offset: number, edits: readonly Edit[]): number {
  let moved = 0;
  for (const { start, end, text } of edits) {
    const at = start + moved;
    if (offset < at) break;
    if (offset < at + text.length) return start;
    moved += text.length - (end - start);
  }
  return offset - moved;
}
