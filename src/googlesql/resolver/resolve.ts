import type { Query } from "../ast.ts";
import { CATALOGUE, type Catalogue } from "../catalogue/index.ts";
import { type Diagnostic, GoogleSqlError } from "../diagnostic.ts";
import type { TableCatalog } from "../relation.ts";
import type { ComputedColumn, ResolvedQuery } from "../resolved.ts";
import { type SqlType, STRING } from "../types.ts";
import { ColumnSet } from "./column-set.ts";
import type { CteScope, QueryResult } from "./context.ts";
import { resolveExpressionRule } from "./expression/expression.ts";
import { materialize, project } from "./relation.ts";
import { type IdSource, Resolution, ResolutionStopped } from "./resolution.ts";
import { sortScan } from "./select/order-by.ts";
import { resolveQueryRule } from "./select/query.ts";
import { expandColumns } from "./select/select-list.ts";

export interface ResolveOptions {
  /** The tables that may be read. */
  readonly tables: TableCatalog;
  /** Types of the parameters that may be read, by lower-case name or by position. */
  readonly parameters?: ReadonlyMap<string | number, SqlType>;
  /** Take any parameter, with the type that its first use asks for (STRING where none does). Default false. */
  readonly inferParameters?: boolean;
  /** The zone of timestamps in text that name none: an IANA name, UTC by default. */
  readonly timeZone?: string;
  /** The functions that may be called; all of the published ones by default. */
  readonly catalogue?: Catalogue;
  /** The query's own identity as a view, so that a circle through itself is found. */
  readonly view?: { readonly key: string; readonly name: string };
}

/** Creates a resolution; the sandbox creates two that share their identities. */
export function createResolution(text: string, options: ResolveOptions, ids?: IdSource): Resolution {
  return new Resolution({
    text,
    tables: options.tables,
    parameters: options.parameters ?? new Map(),
    inferParameters: options.inferParameters ?? false,
    timeZone: options.timeZone ?? "UTC",
    catalogue: options.catalogue ?? CATALOGUE,
    rules: { expression: resolveExpressionRule, query: resolveQueryRule },
    ...(ids === undefined ? {} : { ids }),
    ...(options.view === undefined ? {} : { views: { open: [options.view], made: new Map(), definitions: [] } }),
  });
}

/**
 * Looks up every name of a query and types every expression.
 *
 * @throws GoogleSqlError with every problem found, in the order of their positions in `text`.
 */
export function resolveQuery(query: Query, text: string, options: ResolveOptions): ResolvedQuery {
  const resolution = createResolution(text, options);
  const result = resolveTopLevel(resolution, query, undefined);
  const finished = finishQuery(resolution, result);
  const ctes = resolution.views.definitions;
  return ctes.length === 0 ? finished : { ...finished, scan: { kind: "With", ctes, input: finished.scan } };
}

/** Resolves a query that stands alone; throws when anything was reported. */
export function resolveTopLevel(resolution: Resolution, query: Query, ctes: CteScope | undefined): QueryResult {
  let result: QueryResult | undefined;
  try {
    result = resolveQueryRule({ resolution, ctes, outer: undefined, firstColumn: 0 }, query);
  } catch (error) {
    if (!(error instanceof ResolutionStopped)) throw error;
  }
  throwDiagnostics(resolution);
  if (result === undefined) throw new Error("resolution stopped without a diagnostic");
  return result;
}

/** Throws what was reported, if anything was. */
export function throwDiagnostics(resolution: Resolution): void {
  if (resolution.diagnostics.length === 0) return;
  const unique = new Map<string, Diagnostic>();
  for (const diagnostic of resolution.diagnostics) {
    const key = `${diagnostic.span.start}:${diagnostic.span.end}:${diagnostic.code}`;
    if (!unique.has(key)) unique.set(key, diagnostic);
  }
  const [first, ...rest] = [...unique.values()].sort((a, b) => a.span.start - b.span.start);
  if (first !== undefined) throw new GoogleSqlError(resolution.text, [first, ...rest]);
}

/** The outermost query: sorted, with final names; a value table of structs gives its fields as columns. */
export function finishQuery(resolution: Resolution, result: QueryResult): ResolvedQuery {
  const [only] = result.columns;
  const keys = result.order?.keys ?? [];
  let { scan } = result;
  if (result.isSorted !== true) scan = sortScan(scan, keys);
  let named: ResolvedQuery["columns"] = result.columns.map(({ name, column }) => ({ name: name ?? "", column }));
  if (only?.isValue === true && only.column.type.kind === "STRUCT") {
    const computed: ComputedColumn[] = [];
    const items = expandColumns(resolution, result.columns, { start: 0, end: 0 });
    named = items.map((item, i) => ({
      name: item.name ?? "",
      column: materialize(resolution, item.expression, item.name ?? `f${i}`, computed, () => false, new ColumnSet()),
    }));
    scan = projectBelowSort(scan, computed);
  }
  const columns = finalNames(named);
  const parameters = [...resolution.usedParameters].map(([key, type]) => ({
    key,
    type: type.kind === "UNKNOWN" ? STRING : type,
  }));
  const warnings = resolution.warnings.toSorted((a, b) => a.span.start - b.span.start);
  return {
    scan,
    columns,
    parameters,
    ...(keys.length === 0 ? {} : { order: keys }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

/** Computes below the sort and limit, so that the rows still come sorted. */
function projectBelowSort(scan: ResolvedQuery["scan"], computed: readonly ComputedColumn[]): ResolvedQuery["scan"] {
  if (scan.kind === "Limit" || scan.kind === "OrderBy" || scan.kind === "With")
    return { ...scan, input: projectBelowSort(scan.input, computed) };
  return project(scan, computed);
}

/** Anonymous columns are `f0_`, `f1_`; a name that occurs again gets a number. */
function finalNames(columns: ResolvedQuery["columns"]): ResolvedQuery["columns"] {
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()));
  const used = new Set<string>();
  const counts = new Map<string, number>();
  let anonymous = 0;
  return columns.map(({ name, column }) => {
    let final = name;
    if (name === "") {
      do final = `f${anonymous++}_`;
      while (taken.has(final));
    } else {
      let count = counts.get(name.toLowerCase()) ?? 0;
      while (used.has(final.toLowerCase()) || (count > 0 && taken.has(final.toLowerCase())))
        final = `${name}_${++count}`;
      counts.set(name.toLowerCase(), count);
    }
    used.add(final.toLowerCase());
    return { name: final, column };
  });
}
