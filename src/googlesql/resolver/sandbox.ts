import type { Query } from "../ast.ts";
import type { TableCatalog } from "../relation.ts";
import { reaches, scanExpressions, someExpression } from "../resolved/walk.ts";
import type { CteDefinition, ResolvedQuery, Scan } from "../resolved.ts";
import type { SqlType } from "../types.ts";
import type { CteBinding, CteScope, Environment } from "./context.ts";
import { guardBinding } from "./from/guard-binding.ts";
import { redactBinding } from "./from/redact-binding.ts";
import { findCte } from "./from/table.ts";
import { ResolutionStopped } from "./resolution.ts";
import { createResolution, finishQuery, type ResolveOptions, resolveTopLevel, throwDiagnostics } from "./resolve.ts";
import type { NamedColumn } from "./scope.ts";
import { resolveWith } from "./select/with.ts";

/** The tables and parameters that a scan reads: common table expressions, also through each other. */
interface Reached {
  readonly ctes: ReadonlySet<number>;
  readonly parameters: ReadonlySet<string | number>;
}

function reachableFrom(root: Scan): Reached {
  const ctes = new Set<number>();
  const parameters = new Set<string | number>();
  reaches(root, (scan) => {
    if (scan.kind === "Cte") ctes.add(scan.cte.id);
    for (const expression of scanExpressions(scan)) {
      someExpression(expression, (at) => at.kind === "Parameter" && parameters.add(at.key) === undefined, false);
    }
    return false;
  });
  return { ctes, parameters };
}

/** A query and the text that its positions are in. */
export interface QueryText {
  readonly query: Query;
  readonly text: string;
}

export interface SandboxOptions extends ResolveOptions {
  /** Further names for the saved query's common table expressions: alias to name. */
  readonly tableAliases?: ReadonlyMap<string, string>;
  /** Columns of these expressions that the consumer reads by name only. */
  readonly hiddenColumns?: readonly string[];
  /** The detectors, comma separated, whose findings `$redact` hides from the consumer in the saved query's outputs. */
  readonly redaction?: string;
}

/**
 * Resolves a consumer's query in a scope whose only relations are the common table expressions of a saved query (and
 * its own). The saved ones stay closed over their own scope: what the consumer names alike hides them for the consumer
 * only. Those that are not read are left out of the result.
 *
 * @throws GoogleSqlError whose `text` shows whose query is at fault. A relation that is not visible is `unknown_table`;
 * only names of the saved query's expressions are suggested.
 */
export function resolveSandboxed(saved: QueryText, consumer: QueryText, options: SandboxOptions): ResolvedQuery {
  const { outside, definitions, names } = resolveSaved(saved, options);
  const inside = createResolution(consumer.text, { ...options, tables: NO_TABLES }, outside.ids);
  const { redaction } = options;
  const guarded = names.map((name) => guardBinding(inside, name));
  const shown = redaction === undefined ? guarded : guarded.map((name) => redactBinding(inside, name, redaction));
  const result = resolveTopLevel(inside, consumer.query, sandboxScope(shown, options));
  const finished = finishQuery(inside, result);
  const reached = reachableFrom(finished.scan);
  const known = new Set([...outside.views.definitions, ...definitions]);
  for (const { definition } of [...guarded, ...shown]) if (definition !== undefined) known.add(definition);
  const read = [...known].filter((definition) => reached.ctes.has(definition.id));
  const scan: Scan = read.length === 0 ? finished.scan : { kind: "With", ctes: read, input: finished.scan };
  const types = new Map([...outside.usedParameters, ...inside.usedParameters]);
  const parameters = [...types].filter(([key]) => reached.parameters.has(key)).map(([key, type]) => ({ key, type }));
  return { ...finished, scan, parameters };
}

/** A common table expression of a saved query. */
export interface SavedTable {
  readonly name: string;
  /** The names of its columns; empty for those that have none. */
  readonly columns: readonly string[];
  /** Their types. */
  readonly types: readonly SqlType[];
}

/** The tables that a saved query defines for consumers. @throws GoogleSqlError */
export function listSavedTables(saved: QueryText, options: ResolveOptions): readonly SavedTable[] {
  return resolveSaved(saved, options).names.map(({ name, columns }) => {
    const types = columns.map(({ column }) => column.type);
    return { name, columns: columns.map((column) => column.name ?? ""), types };
  });
}

function resolveSaved({ query: { with: clause }, text }: QueryText, options: ResolveOptions) {
  const outside = createResolution(text, options);
  const environment: Environment = { resolution: outside, ctes: undefined, outer: undefined, firstColumn: 0 };
  let definitions: readonly CteDefinition[] = [];
  let names: readonly CteBinding[] = [];
  try {
    if (clause !== undefined) {
      const resolved = resolveWith(environment, clause);
      definitions = resolved.definitions;
      names = clause.entries.flatMap((entry) => findCte(resolved.environment.ctes, entry.name.name) ?? []);
    }
  } catch (error) {
    if (!(error instanceof ResolutionStopped)) throw error;
  }
  throwDiagnostics(outside);
  return { outside, definitions, names };
}

const NO_TABLES: TableCatalog = { findTable: () => undefined, tableNames: () => [] };

function sandboxScope(
  names: readonly CteBinding[],
  { tableAliases = new Map(), hiddenColumns = [] }: SandboxOptions,
): CteScope {
  const hidden = new Set(hiddenColumns.map((name) => name.toLowerCase()));
  const hide = (named: NamedColumn): NamedColumn =>
    hidden.has(named.name?.toLowerCase() ?? "") ? { ...named, isHidden: true } : named;
  const bindings = new Map(
    names.map((binding) => [binding.name.toLowerCase(), { ...binding, columns: binding.columns.map(hide) }]),
  );
  for (const [alias, name] of tableAliases) {
    const binding = bindings.get(name.toLowerCase());
    const key = alias.toLowerCase();
    if (binding !== undefined && !bindings.has(key)) bindings.set(key, { ...binding, name: alias });
  }
  return { parent: undefined, bindings };
}
