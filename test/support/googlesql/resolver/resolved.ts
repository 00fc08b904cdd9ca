/** Tables, and short ways to resolve a text, for the resolver's tests. */
import { type Diagnostic, GoogleSqlError } from "../../../../src/googlesql/diagnostic.ts";
import { parseQuery } from "../../../../src/googlesql/parse.ts";
import type { TableCatalog, TableDefinition } from "../../../../src/googlesql/relation.ts";
import type { ResolvedQuery } from "../../../../src/googlesql/resolved.ts";
import { type ResolveOptions, resolveQuery } from "../../../../src/googlesql/resolver/resolve.ts";
import { resolveSandboxed } from "../../../../src/googlesql/resolver/sandbox.ts";
import {
  arrayOf,
  BOOL,
  DATE,
  DATETIME,
  FLOAT64,
  INT64,
  JSON_TYPE,
  NUMERIC,
  type RecordField,
  type SqlType,
  STRING,
  structOf,
  TIMESTAMP,
} from "../../../../src/googlesql/types.ts";
import { dumpQuery } from "./dump.ts";

/** A record field's type. */
function recordOf(
  fields: Readonly<Record<string, SqlType>>,
  options: { readonly isRepeated?: boolean; readonly isOpen?: boolean } = {},
): SqlType {
  const list: RecordField[] = Object.entries(fields).map(([name, type]) => ({ name, type }));
  return arrayOf({
    kind: "RECORD",
    fields: list,
    isRepeated: options.isRepeated ?? false,
    isOpen: options.isOpen ?? false,
  });
}

/** The table of events, whose fields are lenient. */
export const logs: TableDefinition = {
  name: "logs",
  isLenient: true,
  columns: [
    { name: "id", type: STRING },
    { name: "timestamp", type: TIMESTAMP },
    { name: "event_message", type: STRING },
    {
      name: "metadata",
      type: recordOf({
        level: STRING,
        attempt: INT64,
        ok: BOOL,
        tags: arrayOf(STRING),
        request: recordOf({ path: STRING, method: STRING, Host: STRING, headers: recordOf({ host: STRING }) }),
        response: recordOf({ status_code: INT64, origin_time: FLOAT64 }),
        spans: recordOf({ name: STRING, ms: INT64 }, { isRepeated: true }),
        extra: recordOf({ known: STRING }, { isOpen: true }),
      }),
    },
  ],
};

const orders: TableDefinition = {
  name: "orders",
  columns: [
    { name: "id", type: INT64 },
    { name: "customer", type: STRING },
    { name: "total", type: NUMERIC },
    { name: "day", type: DATE },
    { name: "placed", type: DATETIME },
    {
      name: "items",
      type: arrayOf(
        structOf([
          { name: "sku", type: STRING },
          { name: "quantity", type: INT64 },
        ]),
      ),
    },
    { name: "doc", type: JSON_TYPE },
  ],
};

const people: TableDefinition = {
  name: "people",
  columns: [
    { name: "id", type: INT64 },
    { name: "name", type: STRING },
    { name: "score", type: FLOAT64 },
  ],
};

/** A catalog of the given tables. */
function catalogOf(tables: readonly TableDefinition[]): TableCatalog {
  return {
    findTable: (name) =>
      tables.find((table) => table.name === name) ??
      tables.find((table) => table.name.toLowerCase() === name.toLowerCase()),
    tableNames: () => tables.map((table) => table.name),
  };
}

export const TABLES: TableCatalog = catalogOf([logs, orders, people]);

export function resolveText(sql: string, options: Partial<ResolveOptions> = {}): ResolvedQuery {
  return resolveQuery(parseQuery(sql), sql, { tables: TABLES, ...options });
}

/** The resolved tree as text. */
export function dumpOf(sql: string, options: Partial<ResolveOptions> = {}): string {
  return dumpQuery(resolveText(sql, options));
}

/** The result's columns as `name TYPE`. */
export function columnsOf(sql: string, options: Partial<ResolveOptions> = {}): string {
  const [head = ""] = dumpOf(sql, options).split("\n");
  return head.replace(/^select /, "").replace(/=[^:]*:/g, " ");
}

/** Returns the reported problems. */
export function diagnosticsOf(sql: string, options: Partial<ResolveOptions> = {}): readonly Diagnostic[] {
  try {
    resolveText(sql, options);
  } catch (error) {
    if (error instanceof GoogleSqlError) return error.diagnostics;
    throw error;
  }
  return [];
}

/** Returns the reported problems, each as `code at "text": message`. */
export function errorsOf(sql: string, options: Partial<ResolveOptions> = {}): readonly string[] {
  return diagnosticsOf(sql, options).map(
    ({ code, message, span }) => `${code} at "${sql.slice(span.start, span.end)}": ${message}`,
  );
}

/** A consumer's query in the sandbox of a saved one. */
export function sandboxed(
  saved: string,
  consumer: string,
  options: {
    readonly aliases?: Readonly<Record<string, string>>;
    readonly hiddenColumns?: readonly string[];
  } & Partial<ResolveOptions> = {},
): ResolvedQuery {
  const { aliases = {}, ...rest } = options;
  return resolveSandboxed(
    { query: parseQuery(saved), text: saved },
    { query: parseQuery(consumer), text: consumer },
    { tables: TABLES, tableAliases: new Map(Object.entries(aliases)), ...rest },
  );
}

/** Returns the name reported with each problem, if any. */
export function namesOf(sql: string): readonly (string | null)[] {
  return diagnosticsOf(sql).map(({ name }) => name ?? null);
}
