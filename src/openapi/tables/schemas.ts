import { EndpointDocument } from "../../endpoints/definition/document.ts";
import { limitDefinitions, limitNames } from "../../shared/budget.ts";
import { errorSchema } from "../error-responses.ts";
import type { Header, JsonSchema, Parameter } from "../open-api-document.ts";

const text: JsonSchema = { type: "string" };
const nullableText: JsonSchema = { type: ["string", "null"] };
const integer: JsonSchema = { type: "integer" };
const flag: JsonSchema = { type: "boolean" };
const texts: JsonSchema = { type: "array", items: text };
const map = (value: JsonSchema): JsonSchema => ({ type: "object", additionalProperties: value });
const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
const listOf = (items: JsonSchema): JsonSchema => ({ type: "array", items });
const object = (properties: Readonly<Record<string, JsonSchema>>, optional: readonly string[] = []): JsonSchema => ({
  type: "object",
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

/** The document's fields as JSON Schema has them: what TypeBox adds for itself is not enumerable. */
const endpointDocument: JsonSchema = {
  type: "object",
  properties: { ...EndpointDocument.properties } as Readonly<Record<string, JsonSchema>>,
  required: ["name", "query"],
  additionalProperties: false,
};

const endpointChange: JsonSchema = { ...endpointDocument, required: [] };

const parameter = {
  type: text,
  required: flag,
  allowed: { type: ["array", "null"], items: text },
  default: {},
  description: nullableText,
};

const limits = limitNames.map((name): readonly [string, JsonSchema] => {
  return [name, { type: "integer", ...limitDefinitions[name] }];
});

/** Limits of a token by name: of each of its calls, and of what it sends. */
const tokenBudget: JsonSchema = {
  type: "object",
  properties: Object.fromEntries(limits),
  additionalProperties: false,
};

const accessToken = {
  id: text,
  description: text,
  scopes: texts,
  pins: map(text),
  budget: { ...tokenBudget, additionalProperties: true },
};

/** Schemas of the management, and those that every document has. */
export const commonSchemas: Readonly<Record<string, JsonSchema>> = {
  Error: errorSchema,
  AnyRow: { type: "object", additionalProperties: true },
  EndpointDocument: endpointDocument,
  EndpointChange: endpointChange,
  Endpoint: object(
    {
      id: { type: "string", format: "uuid" },
      name: text,
      description: nullableText,
      query: text,
      max_rows: integer,
      cache_seconds: integer,
      warm_every_seconds: { type: ["integer", "null"] },
      tenant_parameter: {
        type: ["string", "null"],
        description: "The parameter that says whose rows a call reads: a token that pins it reads no others",
      },
      sandbox: flag,
      redact_pii: { anyOf: [flag, texts] },
      parameters: map(object(parameter)),
      table_aliases: map(text),
      labels: map(text),
      version: integer,
      origin: { type: "string", enum: ["file", "api"] },
      file: nullableText,
      contract: ref("Contract"),
      problem: { type: "string", description: "Why it cannot run since what it reads has changed" },
      warnings: { ...texts, description: "What its query can hardly mean: fields that no event has carried" },
    },
    ["version", "problem", "warnings"],
  ),
  Contract: object({
    parameters: listOf(object({ name: text, ...parameter })),
    columns: listOf(object({ name: text, type: { type: "string", description: "As GoogleSQL writes it" } })),
  }),
  Version: object(
    {
      version: integer,
      name: text,
      current: flag,
      created_at: { type: "string", format: "date-time" },
      author: text,
      action: text,
      rollback_to: { type: ["integer", "null"] },
      changed: texts,
      document: ref("AnyRow"),
      contract: ref("Contract"),
    },
    ["document", "contract"],
  ),
  VersionDiff: object({
    from: integer,
    to: integer,
    breaking: flag,
    changes: listOf(
      object({
        area: { type: "string", enum: ["column", "parameter", "setting"] },
        name: text,
        change: text,
        from: nullableText,
        to: nullableText,
        breaking: flag,
      }),
    ),
    query: listOf(ref("AnyRow")),
  }),
  QueryRequest: object({ sql: text, lql: text, parameters: { type: "object", additionalProperties: true } }, [
    "sql",
    "lql",
    "parameters",
  ]),
  QueryAnswer: object({ result: listOf(ref("AnyRow")) }),
  QueryReport: object({
    result: object({
      parameters: listOf(ref("AnyRow")),
      columns: listOf(object({ name: text, type: text })),
      tables: texts,
      endpoints: texts,
      diagnostics: listOf(ref("AnyRow")),
      warnings: listOf(ref("AnyRow")),
      compiled_sql: nullableText,
    }),
  }),
  SourceDocument: object(
    {
      name: text,
      aliases: texts,
      kind: text,
      description: text,
      tenant: nullableText,
      retention_days: { type: ["number", "null"] },
      fields: map({ type: "string", enum: ["STRING", "INT64", "FLOAT64", "BOOL"] }),
    },
    ["name", "aliases", "kind", "description", "tenant", "retention_days", "fields"],
  ),
  Source: {
    ...object(
      {
        id: text,
        name: text,
        aliases: texts,
        kind: text,
        description: text,
        retention_days: { type: ["number", "null"] },
        read_only: flag,
        alias_of: { type: "string", description: "The source's name, where this is another name of it" },
      },
      ["alias_of"],
    ),
    additionalProperties: true,
  },
  BackendDocument: object(
    {
      name: text,
      description: text,
      type: { type: "string", enum: ["webhook", "logweir", "loki"] },
      config: {
        type: "object",
        description: "url, headers, gzip; token and source of logweir, username and password of loki",
      },
      metadata: { type: "object" },
    },
    ["name", "description", "type", "config", "metadata"],
  ),
  Backend: object({
    id: text,
    token: text,
    name: text,
    description: text,
    type: text,
    config: { type: "object", description: "Secrets stand as ********" },
    metadata: { type: "object" },
    inserted_at: text,
    updated_at: text,
    status: listOf(
      object({
        rule_id: text,
        source: text,
        waiting: integer,
        delivered: integer,
        refused: integer,
        dropped: integer,
        failures: integer,
        last_error: nullableText,
        last_delivered_at: nullableText,
      }),
    ),
  }),
  RuleDocument: object(
    {
      backend_id: text,
      source_id: { type: "string", description: "Id, name or alias of a source" },
      lql_string: { type: "string", description: "Which events go there, in LQL; empty for all" },
    },
    ["lql_string", "backend_id", "source_id"],
  ),
  Rule: object({
    id: text,
    token: text,
    backend_id: text,
    source_id: text,
    source: text,
    lql_string: text,
    inserted_at: text,
  }),
  SourceSchema: object({ name: text, fields: listOf(object({ path: text, type: text })) }),
  NewAccessToken: object(
    {
      scopes: { anyOf: [texts, text], description: "A list, or a text with spaces between" },
      pins: map({}),
      description: text,
      expires: { type: "string", description: "A lifetime such as 30d" },
      expires_at: text,
      budget: tokenBudget,
      redaction: text,
    },
    ["pins", "description", "expires", "expires_at", "budget", "redaction"],
  ),
  AccessToken: { ...object(accessToken), additionalProperties: true },
  CreatedAccessToken: {
    ...object({ ...accessToken, token: { type: "string", description: "Shown this once" } }),
    additionalProperties: true,
  },
  Accepted: object({ message: text, accepted: integer }),
};

/** Parameters of many operations. */
export const commonParameters: Readonly<Record<string, Parameter>> = {
  sql: {
    name: "sql",
    in: "query",
    description: "A query of your own in GoogleSQL over the endpoint's tables; not with lql",
    schema: text,
  },
  lql: { name: "lql", in: "query", description: "The same in LQL", schema: text },
  cursor: { name: "cursor", in: "query", description: "The page that the Link of another answer names", schema: text },
  format: {
    name: "format",
    in: "query",
    description: "The form of the answer; Accept decides unless given",
    schema: { type: "string", enum: ["json", "ndjson", "csv", "parquet", "arrow"] },
  },
  redact: {
    name: "LF-ENDPOINT-REDACT-PII",
    in: "header",
    description: "true redacts personal data; without it the endpoint's setting holds",
    schema: text,
  },
  prefer: { name: "Prefer", in: "header", description: "wait=N: seconds that the call may take", schema: text },
  ifNoneMatch: { name: "If-None-Match", in: "header", description: "The ETag of a cached answer", schema: text },
  ifMatch: {
    name: "If-Match",
    in: "header",
    description: "The ETag of the version that the change builds on",
    schema: text,
  },
};

/** Headers of answers. */
export const commonHeaders: Readonly<Record<string, Header>> = {
  ServerTiming: { description: "Milliseconds by phase", schema: text },
  RequestId: { description: "The id of the request, for the service's log", schema: text },
  DataThrough: { description: "The newest event, when the query began, of the sources that it read", schema: text },
  CacheControl: { schema: text },
  Vary: { schema: text },
  Link: { description: "The next page, with rel=next", schema: text },
  ETag: { schema: text },
  Age: { description: "Seconds since the answer was made", schema: integer },
  CacheStatus: { schema: text },
  RetryAfter: { description: "Seconds after which a retry makes sense", schema: integer },
};
