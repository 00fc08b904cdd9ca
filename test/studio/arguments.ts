/** Arguments for Studio's builders, by the names of their parameters. */

/** Values of a parameter: the first is used while another varies. */
type Values = readonly unknown[];

/** Tables of a release and their filters, by its own constants. */
export interface Tables {
  readonly names: readonly string[];
  /** Keys of a table's filters, such as `severity.error`, and whether they take a value. */
  readonly filters: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Whether searches of the unified logs have their filters as texts, such as `level:eq:error`. */
  readonly hasTextFilters: boolean;
}

const startMs = Date.parse("2026-08-20T08:00:00Z");
const at = (hours: number) => new Date(startMs + hours * 3_600_000).toISOString();
const windowOf = (hours: number) => ({ iso_timestamp_start: at(0), iso_timestamp_end: at(hours) });
const id = "0b6f8f0e-5f0c-4c1e-9d3e-0f7a3d1c2b4a";
const number = { operator: ">=", value: 400 };
const logTypes = ["edge", "postgrest", "auth", "edge function", "postgres", "storage", "supavisor", "realtime"];

/** Searches of the unified logs: by columns, as older releases keep them, or by texts. */
const columnSearches: Values = [
  ...[{}, { log_type: logTypes }, { level: ["error", "warning"] }, { method: ["GET"], status: ["200", "500"] }],
  ...[{ pathname: ["/rest"] }, { log_type: ["postgres"], level: ["success"] }],
  ...logTypes.map((type) => ({ log_type: [type] })),
];
const textSearches: Values = [
  ...["level:eq:error", "level:neq:success", "log_type:neq:postgres", "method:eq:GET", "status:eq:500", "host:eq:a"],
  ...["pathname:eq:/rest/v1", "pathname:neq:/auth", "event_message:ilike:it's", "event_message:notilike:100%"],
  ...logTypes.map((type) => `log_type:eq:${type}`),
].map((filter) => ({ filter: [filter] }));

function searchesOf({ hasTextFilters }: Tables): Values {
  const dated = (search: unknown, hours: number) => ({
    ...(search as object),
    date: [new Date(at(0)), new Date(at(hours))],
    sort: null,
  });
  const searches = hasTextFilters ? [{}, ...textSearches] : columnSearches;
  return [...searches.map((search) => dated(search, 2)), dated({}, 30), dated({}, 24 * 9)];
}

const reportFilters: Values = [
  [],
  [{ key: "request.path", value: "/rest", compare: "matches" }],
  [
    { key: "request.method", value: "GET|POST", compare: "matches" },
    { key: "response.status_code", value: 404, compare: "is" },
  ],
];
const chartFilters: Values = [
  {},
  ...[{ status_code: number }, { provider: ["email"] }, { status_code: number, provider: ["email", "github"] }],
  ...[{ functions: [id] }, { region: ["eu-west-1"] }, { execution_time: number }],
];

const values: Readonly<Record<string, Values>> = {
  ...{ limit: [undefined], prepend: [undefined], signal: [undefined], headersInit: [undefined], options: [{}] },
  ...{ id: [id], logId: [id], userId: [id], functionId: [id], projectRef: ["default"], ref: ["default"] },
  ...{ functionIds: [[id], []], executionIds: [[id]], functions: [[{ id, name: "f" }]] },
  ...{ startDate: [at(0)], startTime: [at(0)], start: [at(0)], endDate: [at(2)], endTime: [at(2)], end: [at(2)] },
  ...{ interval: ["1h", "1m", "1d"], granularity: ["hour", "minute", "day"] },
  ...{ params: [windowOf(1), windowOf(30), windowOf(24 * 9)], value: ["default"] },
  ...{ facet: ["level", "status", "method", "host", "pathname", "log_type"], facetSearch: [undefined, "a"] },
  ...{ src: [undefined, "function_edge_logs"], source: ["edge_logs"], useOtel: [false, true] },
  service: ["api", "postgres", "edge-function", "auth", "storage", "realtime"],
  type: ["postgrest", "auth", "edge-function", "storage", "postgres"],
  logTypes: [logTypes, ["edge"]],
};

/** One call for each value of each parameter, the others at their first; undefined for parameters it knows nothing of. */
function varied(names: readonly string[], valuesOf: (name: string) => Values): readonly (readonly unknown[])[] {
  const first = names.map((name) => valuesOf(name)[0]);
  return [
    first,
    ...names.flatMap((name, index) =>
      valuesOf(name)
        .slice(1)
        .map((value) => first.with(index, value)),
    ),
  ];
}

function filtersOf(tables: Tables, table: string): Values {
  const entries = Object.entries(tables.filters[table] ?? {});
  return [
    {},
    ...entries.map(([key, template]) => {
      const value = typeof template !== "function" || (key === "pipeline_id" ? 7 : "default");
      return key.split(".").reduceRight<unknown>((inner, part) => ({ [part]: inner }), value);
    }),
  ];
}

/** A parameter: its name, or the names of those that it takes in one object. */
export type Parameter = string | readonly string[];

/** All calls of a builder that has these parameters. */
export function callsOf(parameters: readonly Parameter[], tables: Tables): readonly (readonly unknown[])[] {
  const names = parameters.flat();
  const isChart = names.includes("interval");
  const calls = (table: string | undefined) =>
    varied(names, (name) => {
      if (name === "table") return [table];
      if (name === "search") return searchesOf(tables);
      if (name !== "filters") return values[name] ?? [undefined];
      return table === undefined ? (isChart ? chartFilters : reportFilters) : filtersOf(tables, table);
    });
  const flat = names.includes("table") ? tables.names.flatMap(calls) : calls(undefined);
  return flat.map((call) => {
    let next = 0;
    return parameters.map((parameter) => {
      if (typeof parameter === "string") return call[next++];
      return Object.fromEntries(parameter.map((name) => [name, call[next++]]));
    });
  });
}

/** Names of parameters that no value is known for. */
export function unknownOf(parameters: readonly Parameter[]): readonly string[] {
  return parameters.flat().filter((name) => !(name in values) && !["table", "search", "filters"].includes(name));
}

/** Reads a function's parameters from its text, as esbuild prints it: no types, arrows with brackets. */
export function parametersOf(text: string): readonly Parameter[] {
  return split(inner(text, text.indexOf("("))).map((parameter) => {
    if (!parameter.startsWith("{")) return nameOf(parameter);
    return split(inner(parameter, 0)).map(nameOf);
  });
}

const nameOf = (parameter: string) => /^[\w$]*/.exec(parameter)?.[0] ?? "";

/** The text between the bracket at a place and the one that closes it. */
function inner(text: string, open: number): string {
  let depth = 0;
  for (let index = open; index < text.length; index++) {
    if ("([{".includes(text[index] ?? "")) depth++;
    if (")]}".includes(text[index] ?? "")) depth--;
    if (depth === 0) return text.slice(open + 1, index);
  }
  return "";
}

/** Its parts between commas that are in no bracket. */
function split(text: string): readonly string[] {
  const parts = [""];
  let depth = 0;
  for (const character of text) {
    if ("([{".includes(character)) depth++;
    if (")]}".includes(character)) depth--;
    if (character === "," && depth === 0) parts.push("");
    else parts.push(`${parts.pop() ?? ""}${character}`);
  }
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}
