import { batch, computed, signal } from "@preact/signals";
import { type ApiError, callApi, isAborted, runEndpoint } from "../api/client.ts";
import type { Answers } from "../api/operations.ts";
import { completeLql, type Language, sqlTemplate } from "../lib/query-text.ts";
import { formatRange, parseRange, resolveRange, type TimeRange } from "../lib/time.ts";
import { chooseFacets, chooseSplit, type Field } from "../lib/values.ts";
import { replaceState, route } from "./route.ts";
import { type AskPage, clearRows, openRows, rowsState } from "./row-pages.ts";
import { linkedProject, session } from "./session.ts";

export { loadMore, rows, rowsState } from "./row-pages.ts";

export type Overview = Answers["countRows"]["result"];
export type ScopeTable = Answers["listTables"]["tables"][number];
type Endpoint = Answers["getSession"]["endpoints"][number];

/** All that a link to Explore restores. */
export interface ExploreQuery {
  /** An endpoint's name, or `source:NAME`. */
  readonly scope: string;
  readonly table: string | undefined;
  readonly language: Language;
  readonly text: string;
  readonly range: TimeRange;
  readonly parameters: Readonly<Record<string, string>>;
  readonly columns: readonly string[];
  /** Undefined where nobody has chosen any. */
  readonly facets: readonly string[] | undefined;
}

export const query = signal<ExploreQuery>({
  scope: "",
  table: undefined,
  language: "lql",
  text: "",
  range: { kind: "last", amount: "1h" },
  parameters: {},
  columns: ["event_message"],
  facets: undefined,
});

export type Loading<Value> =
  | { readonly kind: "idle" }
  | { readonly kind: "loading"; readonly last: Value | undefined }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "loaded"; readonly value: Value };

export const tables = signal<Loading<readonly ScopeTable[]>>({ kind: "idle" });
export const overview = signal<Loading<Overview>>({ kind: "idle" });
export const selectedIndex = signal<number | undefined>(undefined);
/** Warnings about the typed query, which runs all the same: fields that no event has carried. */
export const queryWarnings = signal<readonly string[]>([]);
export const missingParameters = signal<readonly string[]>([]);
/** The ends of time of what is shown, in milliseconds. */
export const shownRange = signal<{ readonly fromMs: number; readonly toMs: number }>({ fromMs: 0, toMs: 0 });

/** Rows of one page at most: so many that reading them holds up no frame. */
const pageRows = 500;

/** Scopes that can be explored: endpoints that take queries, and for owners sources. */
export const scopes = computed(() => {
  const signedIn = session.value;
  if (signedIn === undefined) return [];
  const open = signedIn.endpoints.filter(({ sandbox }) => sandbox).map(({ name }) => name);
  return [...open, ...signedIn.sources.map((name) => `source:${name}`)];
});

const boundNames = ["iso_timestamp_start", "iso_timestamp_end"] as const;

export const scopeEndpoint = computed((): Endpoint | undefined =>
  session.value?.endpoints.find(({ name }) => name === query.value.scope),
);

/** Parameters that are left to choose, beside the range of time. */
export const scopeParameters = computed((): readonly ParameterInfo[] => {
  const parameters = (scopeEndpoint.value?.parameters ?? []) as readonly unknown[] as readonly ParameterInfo[];
  return parameters.filter(({ name }) => !boundNames.some((bound) => bound === name));
});

export interface ParameterInfo {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly allowed: readonly (string | number | boolean)[] | null;
  readonly default: unknown;
  readonly description: string | null;
}

/** True where the range of time goes along as parameters; else it becomes a condition of LQL. */
const takesBounds = computed(() => {
  const names = scopeEndpoint.value?.parameters.map((each) => String((each as { name?: unknown }).name)) ?? [];
  return query.value.scope.startsWith("source:") || boundNames.every((bound) => names.includes(bound));
});

export const currentTable = computed((): ScopeTable | undefined => {
  const known = tablesOf(tables.value);
  const named = known.find(({ name }) => name === query.value.table);
  return named ?? known.find((table) => table.is_default) ?? known[0];
});

export const fields = computed((): readonly Field[] => currentTable.value?.fields ?? []);
export const facetPaths = computed(() => query.value.facets ?? chooseFacets(fields.value));
export const split = computed(() => chooseSplit(fields.value));

function tablesOf(state: Loading<readonly ScopeTable[]>): readonly ScopeTable[] {
  if (state.kind === "loaded") return state.value;
  return state.kind === "loading" ? (state.last ?? []) : [];
}

/** Takes the state out of the address; what it leaves out is as it was at first. */
export function readAddress(): void {
  const { parameters: read } = route.value;
  const [first = ""] = scopes.value;
  const asked = read.get("s");
  const scope =
    asked !== null && scopes.value.includes(asked) ? asked : scopes.value.includes("logs.all") ? "logs.all" : first;
  const parameters: Record<string, string> = {};
  for (const [name, value] of read) if (name.startsWith("p.")) parameters[name.slice(2)] = value;
  if (linkedProject.value !== undefined && parameters.project === undefined) parameters.project = linkedProject.value;
  query.value = {
    scope,
    table: read.get("t") ?? undefined,
    language: read.get("l") === "sql" ? "sql" : "lql",
    text: read.get("q") ?? "",
    range: parseRange(read.get("r")),
    parameters,
    columns: read
      .get("c")
      ?.split(",")
      .filter((each) => each !== "") ?? ["event_message"],
    facets: read
      .get("f")
      ?.split(",")
      .filter((each) => each !== ""),
  };
  replaceState("explore", toParameters(query.value));
}

/** Shows what the address says by now: after a step back, or when a saved view was opened. */
export function followAddress(): void {
  const tablesBefore = JSON.stringify([query.value.scope, query.value.parameters]);
  readAddress();
  if (JSON.stringify([query.value.scope, query.value.parameters]) === tablesBefore) run();
  else void openScope();
}

/** The address of a query. */
export function toParameters(of: ExploreQuery): URLSearchParams {
  const written = new URLSearchParams({ s: of.scope });
  if (of.table !== undefined) written.set("t", of.table);
  if (of.language !== "lql") written.set("l", of.language);
  if (of.text !== "") written.set("q", of.text);
  written.set("r", formatRange(of.range));
  for (const [name, value] of Object.entries(of.parameters)) written.set(`p.${name}`, value);
  if (of.columns.join() !== "event_message") written.set("c", of.columns.join(","));
  if (of.facets !== undefined) written.set("f", of.facets.join(","));
  return written;
}

/** Changes the query, writes it into the address, and runs it unless only how it is shown has changed. */
export function change(part: Partial<ExploreQuery>, how: "run" | "show" = "run"): void {
  const { scope } = query.value;
  query.value = { ...query.value, ...part };
  replaceState("explore", toParameters(query.value));
  if (part.scope !== undefined && part.scope !== scope) void openScope();
  else if (how === "run") run();
}

/** A parameter that must be one of some values has the first until another is chosen. */
function chooseFirst(): void {
  const chosen = { ...query.value.parameters };
  for (const { name, required, allowed } of scopeParameters.value) {
    const [first] = allowed ?? [];
    if (required && first !== undefined && (chosen[name] ?? "") === "") chosen[name] = String(first);
  }
  query.value = { ...query.value, parameters: chosen };
}

/** Another endpoint or source: its tables first. */
export async function openScope(): Promise<void> {
  tables.value = { kind: "loading", last: undefined };
  chooseFirst();
  missingParameters.value = scopeParameters.value
    .filter(({ name, required }) => required && (query.value.parameters[name] ?? "") === "")
    .map(({ name }) => name);
  if (missingParameters.value.length > 0) {
    stop();
    batch(() => {
      tables.value = { kind: "idle" };
      overview.value = { kind: "idle" };
      clearRows();
    });
    return;
  }
  const { scope } = query.value;
  try {
    const answer = await callApi("listTables", { path: { endpoint: scope }, body: ownParameters() });
    if (query.value.scope !== scope) return;
    tables.value = { kind: "loaded", value: answer.tables };
    run();
  } catch (error) {
    tables.value = { kind: "failed", error };
    rowsState.value = { kind: "failed", error };
  }
}

let controller = new AbortController();

/** Gives up what is under way: the service stops the query. */
export function stop(): void {
  controller.abort();
}

/** Runs the query: the first page of rows, and the counts of the whole range beside them. */
export function run(): void {
  if (tables.value.kind !== "loaded") {
    void openScope();
    return;
  }
  stop();
  controller = new AbortController();
  const { signal } = controller;
  shownRange.value = resolveRange(query.value.range, Date.now());
  selectedIndex.value = undefined;
  openRows(askRows(query.value.scope, callParameters()), signal);
  void loadOverview(signal);
}

/** The parameters of every call: those that were chosen, and the range where they take it. */
export function callParameters(): Record<string, string> {
  const { text, language } = query.value;
  const table = currentTable.value?.name;
  const { fromMs, toMs } = shownRange.value;
  const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
  const bounds = takesBounds.value ? { iso_timestamp_start: from, iso_timestamp_end: to } : {};
  const sent =
    language === "sql"
      ? { sql: text.trim() === "" ? sqlTemplate(table ?? "") : text }
      : { lql: completeLql(text, table, takesBounds.value ? undefined : `${from}..${to}`) };
  return { ...ownParameters(), ...bounds, ...sent };
}

/** Returns the text that the page appends to the typed query, and that errors then quote. */
export function addedText(): string {
  const { text, language } = query.value;
  const { lql = "" } = callParameters();
  return language === "lql" ? lql.slice(text.trim().length) : "";
}

export function ownParameters(): Record<string, string> {
  const known = new Set(scopeParameters.value.map(({ name }) => name));
  return Object.fromEntries(
    Object.entries(query.value.parameters).filter(([name, value]) => known.has(name) && value !== ""),
  );
}

/** Asks for pages of one query: all with the same parameters, whatever changes on the page meanwhile. */
function askRows(scope: string, parameters: Readonly<Record<string, string>>): AskPage {
  const limit = Math.min(pageRows, scopeEndpoint.value?.max_rows ?? pageRows);
  return (cursor, signal) => {
    const page = cursor === undefined ? {} : { cursor };
    return runEndpoint(scope, { ...parameters, ...page, limit }, { signal });
  };
}

/** Parts of the range that rows are counted in. */
const bucketCount = 80;

async function loadOverview(signal: AbortSignal): Promise<void> {
  const last = overview.value.kind === "loaded" ? overview.value.value : undefined;
  overview.value = { kind: "loading", last };
  const { fromMs, toMs } = shownRange.value;
  const parted = split.value;
  const isSql = query.value.language === "sql";
  try {
    const answer = await callApi("countRows", {
      path: { endpoint: query.value.scope },
      signal,
      body: {
        ...callParameters(),
        from: new Date(fromMs).toISOString(),
        to: new Date(toMs).toISOString(),
        buckets: bucketCount,
        facets: facetPaths.value,
        ...(parted === undefined ? {} : { split: parted.path, split_by: parted.isByClass ? "class" : "value" }),
      },
    });
    overview.value = { kind: "loaded", value: answer.result };
  } catch (error) {
    if (isAborted(error) || signal.aborted) return;
    // A query of its own columns has no fields to count by, and perhaps no time.
    overview.value = isSql && isAboutColumns(error) ? { kind: "idle" } : { kind: "failed", error };
  }
}

function isAboutColumns(error: unknown): boolean {
  return ["unknown_column", "type_mismatch"].includes((error as Partial<ApiError>).code ?? "");
}
