import type { ErrorCode } from "../../shared/error-catalogue.ts";
import { callErrors, consumerErrors, runErrors } from "../error-responses.ts";
import type { JsonSchema, Parameter } from "../open-api-document.ts";
import type { ManagementOperation } from "./management.ts";

const text: JsonSchema = { type: "string" };
const count: JsonSchema = { type: "integer" };
const flag: JsonSchema = { type: "boolean" };
const texts: JsonSchema = { type: "array", items: text };

function object(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: "object", properties, required: Object.keys(properties) };
}

function listOf(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: "array", items: object(properties) };
}

function query(name: string, description: string, schema: JsonSchema = text): Parameter {
  return { name, in: "query", description, schema };
}

const endpoint: Parameter = {
  name: "endpoint",
  in: "path",
  required: true,
  description: "Id or name of an endpoint, or source:NAME for owners",
  schema: text,
};
const sql = query("sql", "A query of your own in GoogleSQL; the endpoint's parameters are sent beside it");
const lql = query("lql", "The same in LQL");
const table = query("table", "All rows of this table, where neither sql nor lql is sent");
const asking: readonly ErrorCode[] = [
  ...callErrors,
  "missing_parameter",
  "sql_and_lql",
  "query_too_long",
  "too_complex",
];
const running: readonly ErrorCode[] = [...runErrors, ...consumerErrors, "missing_parameter", "sandbox_disabled"];

const value: JsonSchema = { type: ["string", "null"] };
const explore = { tag: "explore", scope: "query", method: "get", status: 200 } as const;

const placedProblems = listOf({
  code: text,
  message: text,
  line: count,
  column: count,
  end_line: count,
  end_column: count,
  excerpt: text,
});

/** What explorers of an endpoint's tables ask. */
export const exploreOperations: readonly ManagementOperation[] = [
  {
    ...explore,
    path: "/api/endpoints/query/{endpoint}/tables",
    id: "listTables",
    summary: "List the tables that queries of this endpoint's callers may name, with their fields",
    parameters: [endpoint],
    answer: object({
      tables: listOf({
        name: text,
        aliases: texts,
        is_default: flag,
        fields: listOf({ path: text, type: text }),
      }),
    }),
    errors: asking,
  },
  {
    ...explore,
    path: "/api/endpoints/query/{endpoint}/parse",
    id: "checkQuery",
    summary: "Tell what is wrong with a query of a caller's, or its columns",
    parameters: [endpoint, sql, lql],
    answer: object({
      result: object({
        is_valid: flag,
        columns: listOf({ name: text, type: text }),
        diagnostics: placedProblems,
        warnings: placedProblems,
      }),
    }),
    errors: asking,
  },
  {
    ...explore,
    path: "/api/endpoints/query/{endpoint}/overview",
    id: "countRows",
    summary: "Count the rows of a query over time, and by the values of fields",
    parameters: [
      endpoint,
      sql,
      lql,
      table,
      query("from", "Rows after this time"),
      query("to", "Rows at or before this time"),
      query("buckets", "Parts of that time to count in", { type: "integer", minimum: 1, maximum: 500, default: 60 }),
      query("split", "A field by whose values each part is counted apart"),
      query("split_by", "The values themselves, or classes of a hundred such as 5xx", {
        type: "string",
        enum: ["value", "class"],
      }),
      query("facets", "Fields whose most frequent values are told, with commas between"),
      query("values", "So many values of each", { type: "integer", minimum: 1, maximum: 100, default: 10 }),
    ],
    answer: object({
      result: object({
        from: text,
        to: text,
        bucket_us: count,
        total: count,
        is_truncated: flag,
        series: listOf({ value, counts: { type: "array", items: count } }),
        facets: listOf({ path: text, values: listOf({ value, count }) }),
      }),
    }),
    errors: running,
  },
  {
    ...explore,
    path: "/api/endpoints/query/{endpoint}/around",
    id: "showAround",
    summary: "Show a row with its neighbours in time, newest first",
    parameters: [
      endpoint,
      sql,
      lql,
      table,
      query("timestamp", "Of the row: ISO 8601, or microseconds since 1970"),
      query("id", "Of the row"),
      query("count", "Neighbours on each side", { type: "integer", minimum: 1, maximum: 200, default: 20 }),
    ],
    answer: object({ result: { type: "array", items: { $ref: "#/components/schemas/AnyRow" } } }),
    errors: running,
  },
  {
    ...explore,
    path: "/api/endpoints/query/{endpoint}/tail",
    id: "followRows",
    summary: "Follow the rows of an endpoint, or of a query, as they arrive",
    parameters: [
      endpoint,
      sql,
      lql,
      query("since", "Rows of this long before now too, such as 5m"),
      query("cursor", "Behind the row with this id, as the header Last-Event-ID says too"),
    ],
    mediaType: "text/event-stream",
    errors: [...running, "not_followable"],
  },
  {
    method: "get",
    path: "/api/session",
    id: "getSession",
    summary: "Tell who the token is and what it may do",
    tag: "service",
    scope: "anybody",
    status: 200,
    answer: object({
      token: object({
        id: text,
        scopes: texts,
        pins: { type: "object", additionalProperties: text },
        budget: { type: "object", additionalProperties: count },
        redaction: text,
      }),
      may: object({ query: flag, manage: flag, ingest: flag, metrics: flag }),
      endpoints: listOf({
        id: text,
        name: text,
        description: { type: ["string", "null"] },
        version: count,
        sandbox: flag,
        max_rows: count,
        parameters: { type: "array", items: { type: "object", additionalProperties: true } },
        columns: listOf({ name: text, type: text }),
      }),
      sources: texts,
      ingest_sources: texts,
      now: text,
    }),
  },
  {
    method: "get",
    path: "/api/catalogue",
    id: "listFunctions",
    summary: "List the functions that queries may call",
    tag: "service",
    scope: "anybody",
    status: 200,
    answer: object({
      functions: listOf({ name: text, aliases: texts, kind: text, area: text, signatures: texts, summary: text }),
    }),
  },
];
