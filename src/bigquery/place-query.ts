import { nodesOf } from "../googlesql/ast/walk.ts";
import type { Parameter, Query, TableReference, WithEntry } from "../googlesql/ast.ts";
import { GoogleSqlError, positionAt } from "../googlesql/diagnostic.ts";
import { MAX_QUERY_LENGTH } from "../googlesql/limits.ts";
import { parseClientQuery } from "../googlesql/parse.ts";
import { ServiceError } from "../shared/errors.ts";
import { type Dataset, findDataset } from "./datasets.ts";
import { type QueryParameter, refuseLongLiterals, toLiteral } from "./parameter-literal.ts";

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

/** Texts are read on the request loop, where longer ones would hold others up. */
const maxTextLength = 100_000;

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
  if (sent.text.length > maxTextLength) {
    throw new ServiceError("query_too_long", `A query has at most ${maxTextLength} characters here`, {
      parameter: "query",
      hint: "Send long values as query parameters, or the query to the endpoint's own address.",
    });
  }
  const nodes = parse(sent.text);
  const named = findNamedTables(nodes, datasets, sent.text);
  const dataset = chooseDataset(sent, named, nodes, datasets);
  const declared = new Set(dataset.endpoint.contract.parameters.map(({ name }) => name.toLowerCase()));
  const values = writeValues(
    nodes.parameters.filter(({ name }) => name === undefined || !declared.has(name.toLowerCase())),
    sent,
  );
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

/** Tables of a dataset by name, in lower case: a field (`FROM dataset.logs, logs.metadata`) is none. */
function tableNames({ endpoint: { savedQuery, definition } }: Dataset): ReadonlySet<string> {
  const names = savedQuery.with?.entries.map(({ name }) => name.name) ?? [];
  const all = [...names, ...Object.keys(definition.tableAliases)];
  return new Set(all.filter((each) => !/[`\\]/.test(each)).map((each) => each.toLowerCase()));
}

interface NamedTable {
  readonly dataset: Dataset;
  readonly edit: Edit;
}

/** The tables that are named with their dataset, and the texts of their names alone. */
function findNamedTables(
  { tables, entries }: FoundNodes,
  datasets: readonly Dataset[],
  text: string,
): readonly NamedTable[] {
  const byId = new Map([...datasets].reverse().map((dataset) => [dataset.id, dataset]));
  const namesOf = createOnce(tableNames);
  const entriesByName = new Map<string, WithEntry[]>();
  for (const entry of entries) {
    const name = entry.name.name.toLowerCase();
    const same = entriesByName.get(name);
    if (same === undefined) entriesByName.set(name, [entry]);
    else same.push(entry);
  }
  return tables.flatMap(({ path, span }) => {
    const parts = path.parts.flatMap(({ name }) => name.split("."));
    const [table = "", id = ""] = [parts.at(-1), parts.at(-2)];
    const folded = table.toLowerCase();
    const found = parts.length === 2 || parts.length === 3 ? byId.get(id) : undefined;
    if (found === undefined || !namesOf(found).has(folded)) return [];
    const isHidden = entriesByName
      .get(folded)
      ?.some((entry) => !(entry.span.start <= span.start && span.end <= entry.span.end));
    if (isHidden === true) {
      throw new ServiceError("ambiguous_name", `${table} is a table of the dataset and one of the query's own WITH`, {
        ...positionAt(text, span.start),
        hint: "Give the WITH table another name.",
      });
    }
    return [{ dataset: found, edit: { ...path.span, text: `\`${table}\`` } }];
  });
}

/** Throws where the query reads several datasets, or does not say which. */
function chooseDataset(
  { defaultDataset, text }: SentQuery,
  named: readonly NamedTable[],
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

/** The values in the places of their parameters. Throws `query_too_long` where they make too long a query. */
function writeValues(places: readonly Parameter[], { parameters, text }: SentQuery): readonly Edit[] {
  const positional = parameters.filter(({ name = "" }) => name === "");
  const named = new Map([...parameters].reverse().map((each) => [each.name?.toLowerCase() ?? "", each]));
  const literalOf = createOnce((found: QueryParameter) => toLiteral(found, MAX_QUERY_LENGTH));
  let length = text.length;
  return places.map(({ name, position, span }) => {
    const found = name === undefined ? positional[(position ?? 0) - 1] : named.get(name.toLowerCase());
    if (found === undefined) {
      const shown = name === undefined ? `Positional parameter ${position}` : `Query parameter '${name}'`;
      throw new ServiceError("unknown_parameter", `${shown} has no value`, positionAt(text, span.start));
    }
    const literal = literalOf(found);
    length += literal.length;
    if (length > MAX_QUERY_LENGTH) throw refuseLongLiterals();
    return { ...span, text: literal };
  });
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

/** Makes the value of each key once. */
function createOnce<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}
