import { errorSchema } from "./error-responses.ts";
import { AnyRow, toJsonSchema } from "./forms.ts";
import type { Header, JsonSchema, Parameter } from "./open-api-document.ts";

const text: JsonSchema = { type: "string" };
const integer: JsonSchema = { type: "integer" };

/** Schemas that every document has, whatever the routes. */
export const commonSchemas: Readonly<Record<string, JsonSchema>> = { Error: errorSchema, AnyRow: toJsonSchema(AnyRow) };

/** Parameters of many operations. */
export const commonParameters: Readonly<Record<string, Parameter>> = {
  sql: {
    name: "sql",
    in: "query",
    description: "Your own GoogleSQL query over the endpoint's tables; cannot be combined with lql",
    schema: text,
  },
  lql: { name: "lql", in: "query", description: "The same in LQL", schema: text },
  cursor: { name: "cursor", in: "query", description: "The page that the Link of another answer names", schema: text },
  format: {
    name: "format",
    in: "query",
    description: "The format of the answer; Accept selects it by default",
    schema: { type: "string", enum: ["json", "ndjson", "csv", "parquet", "arrow"] },
  },
  redact: {
    name: "LF-ENDPOINT-REDACT-PII",
    in: "header",
    description: "true redacts personal data; without it the endpoint's setting applies",
    schema: text,
  },
  prefer: { name: "Prefer", in: "header", description: "wait=N: seconds that the call may take", schema: text },
  ifNoneMatch: { name: "If-None-Match", in: "header", description: "The ETag of a cached answer", schema: text },
  ifMatch: {
    name: "If-Match",
    in: "header",
    description: "The ETag of the version that the change is based on",
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
  Age: { description: "Seconds since the answer was computed", schema: integer },
  CacheStatus: { schema: text },
  RetryAfter: { description: "Seconds after which a retry makes sense", schema: integer },
};
