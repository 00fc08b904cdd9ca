/**
 * The limits of one call of an endpoint, and of the events that a token sends. The service, the endpoint and the token
 * may each set them, under the same names: in the settings, in the endpoint's header (those of calls), and in `logweir
 * token create` (with dashes). The strictest one applies.
 */

/** One limit of a budget, and the values that it may have. */
export interface LimitDefinition {
  readonly minimum: number;
  readonly maximum: number;
  /** For the command line and the documentation. */
  readonly description: string;
}

const million = 1_000_000;

const definitions = {
  query_timeout_ms: {
    minimum: 1,
    maximum: 3_600_000,
    description: "Deadline of one query in milliseconds; then 504.",
  },
  max_rows: { minimum: 1, maximum: 10 * million, description: "Rows of one answer, or of one page of it." },
  max_result_bytes: {
    minimum: 1_000,
    maximum: 10_000 * million,
    description: "Size of one answer's rows in bytes; beyond it 422.",
  },
  max_query_memory_mb: {
    minimum: 1,
    maximum: million,
    description: "Memory in megabytes that one query may take from the engine's; beyond it 422.",
  },
  max_array_elements: {
    minimum: 1,
    maximum: million,
    description: "Elements of an array that one call of a function makes; beyond it 422.",
  },
  max_string_bytes: {
    minimum: 1_024,
    maximum: 16_777_216,
    description: "Bytes of a text that one call of a function makes; beyond it 422.",
  },
  max_query_characters: {
    minimum: 1,
    maximum: 1_048_576,
    description: "Length of a query that is sent to an endpoint; beyond it 413.",
  },
  max_query_depth: {
    minimum: 1,
    maximum: 200,
    description: "Levels to which a query that is sent to an endpoint nests; beyond them 422.",
  },
  max_ingest_events_per_minute: {
    minimum: 1,
    maximum: 1_000 * million,
    description: "Events in a minute, over all sources; beyond them 429.",
  },
  max_ingest_bytes_per_minute: {
    minimum: 1,
    maximum: million * million,
    description: "Bytes of events, as JSON, in a minute, over all sources; beyond them 429.",
  },
} as const satisfies Readonly<Record<string, LimitDefinition>>;

/** The name of a limit, as settings, headers, the API and error answers write it. */
export type LimitName = keyof typeof definitions;

/** The name of a limit that each tenant of a source has, by the settings alone. */
export type TenantLimitName = "max_tenant_events_per_minute" | "max_tenant_bytes_per_minute";

/** By name, in the order in which they are documented. */
export const limitDefinitions: Readonly<Record<LimitName, LimitDefinition>> = definitions;

export const limitNames: readonly LimitName[] = Object.keys(definitions) as LimitName[];

/** The limits of what a token sends; the others bound each of its calls. */
export const ingestLimitNames: ReadonlySet<LimitName> = new Set([
  "max_ingest_events_per_minute",
  "max_ingest_bytes_per_minute",
]);

/** Limits by name. One that is left out sets no bound. */
export type Budget = Readonly<Partial<Record<LimitName, number>>>;

/** The tightest of two budgets: the smaller value of each limit. */
export function tightest(a: Budget, b: Budget): Budget {
  const both: Partial<Record<LimitName, number>> = { ...a };
  for (const name of limitNames) {
    const value = b[name];
    if (value !== undefined) both[name] = Math.min(value, both[name] ?? value);
  }
  return both;
}

/** The limits among named values; other names and values that are not set are left out. */
export function pickBudget(values: { readonly [Name in LimitName]?: number | undefined }): Budget {
  const budget: Partial<Record<LimitName, number>> = {};
  for (const name of limitNames) {
    const value = values[name];
    if (value !== undefined) budget[name] = value;
  }
  return budget;
}

/** True for a value that the limit may have. */
export function isLimitValue(name: LimitName, value: number): boolean {
  const { minimum, maximum } = limitDefinitions[name];
  return Number.isInteger(value) && value >= minimum && value <= maximum;
}
