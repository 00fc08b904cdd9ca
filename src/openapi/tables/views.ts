import type { JsonSchema } from "../open-api-document.ts";
import type { ManagementOperation } from "./management.ts";

const text: JsonSchema = { type: "string" };
const count: JsonSchema = { type: "integer" };
const flag: JsonSchema = { type: "boolean" };

function object(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: "object", properties, required: Object.keys(properties) };
}

function listOf(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: "array", items: object(properties) };
}

const orNull = (schema: JsonSchema): JsonSchema => ({ ...schema, type: [schema.type as string, "null"] });

const state: JsonSchema = {
  type: "string",
  description: "What the explorer shows, as its address has it, in 16,384 characters at most; kept as it is",
};
const view: Readonly<Record<string, JsonSchema>> = {
  id: text,
  name: text,
  endpoint: text,
  state,
  is_shared: flag,
  is_own: { ...flag, description: "True where this token saved it" },
  created_at: text,
};
const testRun = {
  ...object({
    ran_at: text,
    version: count,
    passed: count,
    failed: count,
    tests: listOf({ name: text, is_passed: flag, ms: { type: "number" }, difference: orNull(text) }),
  }),
  type: ["object", "null"],
  description: "Null until they ran, since the service started",
};
const ofTests = {
  tag: "endpoint management",
  scope: "private",
  path: "/api/endpoints/{endpoint}/tests",
  parameters: [{ name: "endpoint", in: "path", required: true, description: "Id or name", schema: text }],
  status: 200,
  answer: object({ has_tests: flag, last: testRun }),
} as const;
const ofViews = { tag: "views", scope: "query" } as const;
const ofStatistics = { tag: "statistics", scope: "private", method: "get", status: 200 } as const;

/** Views of an explorer under names, tests of endpoints, and what the service knows of calls and of what was sent. */
export const viewOperations: readonly ManagementOperation[] = [
  {
    ...ofViews,
    method: "get",
    path: "/api/views",
    id: "listViews",
    summary: "List the views that this token saved, and the shared ones of endpoints that it may run",
    status: 200,
    answer: object({ views: listOf(view) }),
  },
  {
    ...ofViews,
    method: "post",
    path: "/api/views",
    id: "saveView",
    summary: "Save a view under a name",
    body: {
      type: "object",
      properties: {
        name: { type: "string", description: "Not empty, 120 characters at most" },
        endpoint: { ...text, description: "Name of the endpoint that it explores, or source:NAME" },
        state,
        is_shared: { ...flag, default: false, description: "For tokens of the scope private" },
      },
      required: ["name", "endpoint", "state"],
    },
    status: 201,
    answer: object(view),
    errors: ["invalid_body", "validation_failed", "unsupported_media_type", "unknown_endpoint"],
  },
  {
    ...ofViews,
    method: "delete",
    path: "/api/views/{id}",
    id: "deleteView",
    summary: "Delete a view",
    parameters: [{ name: "id", in: "path", required: true, description: "The view's id", schema: text }],
    status: 204,
    errors: ["unknown_view"],
  },
  {
    ...ofTests,
    method: "get",
    id: "getTests",
    summary: "Tell how the tests beside an endpoint's file went last",
    errors: ["unknown_endpoint"],
  },
  {
    ...ofTests,
    method: "post",
    id: "runTests",
    summary: "Run the tests beside an endpoint's file, on an engine in memory",
    errors: ["unknown_endpoint", "validation_failed"],
  },
  {
    ...ofStatistics,
    path: "/api/statistics/endpoints",
    id: "countCalls",
    summary: "Tell how endpoints were called, as the audit recorded it",
    parameters: [
      {
        name: "since",
        in: "query",
        description: "Calls of this long before now, such as 12h",
        schema: { ...text, default: "1d" },
      },
    ],
    answer: object({
      since: text,
      is_recorded: { ...flag, description: "False where the service records no runs" },
      endpoints: listOf({
        endpoint: text,
        calls: count,
        errors: count,
        cached: { ...count, description: "Calls that were answered from the cache" },
        p50_ms: orNull({ type: "number" }),
        p95_ms: orNull({ type: "number" }),
        newest_call: text,
      }),
    }),
    errors: ["invalid_parameter", "timeout", "engine_unavailable", "too_many_queries"],
  },
  {
    ...ofStatistics,
    path: "/api/statistics/sources",
    id: "countIntake",
    summary: "Tell what came of what was sent to each source since the service started",
    answer: object({
      since: text,
      sources: listOf({
        source: text,
        stored: count,
        rejected: { ...count, description: "Events that were not stored" },
        refused_bodies: { ...count, description: "Bodies that could not be read as a whole" },
        untimed: { ...count, description: "Stored events whose timestamp could not be read" },
        without_tenant: { ...count, description: "Stored events that name no tenant, of a source that has tenants" },
        reasons: {
          ...listOf({ reason: text, count, newest: text }),
          description: "Why events and bodies were not stored, the newest first",
        },
        newest_event: orNull(text),
        lag_ms: { ...orNull(count), description: "How long ago the newest event happened" },
        retention_days: orNull(count),
      }),
    }),
  },
];
