import { nodesOf } from "../../ast/walk.ts";
import type { Query, SetOperationMode, WithClause, WithEntry } from "../../ast.ts";
import type { Span } from "../../diagnostic.ts";
import type { Column, CteDefinition } from "../../resolved.ts";
import { ColumnSet } from "../column-set.ts";
import { type CteBinding, type CteScope, type Environment, type QueryResult, resolveSubquery } from "../context.ts";
import type { Resolution } from "../resolution.ts";
import type { NamedColumn } from "../scope.ts";
import { refuseRecursive } from "./recursion.ts";
import { type DefinedCte, defineRecursive } from "./recursive-cte.ts";
import { combineResults } from "./set-operation.ts";

/** The environment in which the WITH's names are visible, and the definitions that they stand for. */
export interface ResolvedWith {
  readonly environment: Environment;
  readonly definitions: readonly CteDefinition[];
}

/** Resolves a WITH clause. Its queries see no names of the queries around it, only other common table expressions. */
export function resolveWith(environment: Environment, node: WithClause): ResolvedWith {
  const { resolution } = environment;
  const definitions: CteDefinition[] = [];
  const read = new Map(node.isRecursive ? node.entries.map((entry) => [entry, namesRead(entry)]) : []);
  const entries = node.isRecursive ? sortEntries(environment, node.entries, read) : node.entries;
  const bindings = new Map<string, CteBinding>();
  // The scope of each entry: those before it, since later ones are not there yet.
  const inner: Environment = { ...environment, ctes: { parent: environment.ctes, bindings }, outer: undefined };
  const seen = new Set<string>();
  for (const entry of entries) {
    const key = entry.name.name.toLowerCase();
    if (seen.has(key))
      resolution.report("duplicate_name", `Duplicate alias ${entry.name.name} for WITH subquery`, entry.name.span, {
        name: entry.name.name,
      });
    seen.add(key);
    const isRecursive = read.get(entry)?.has(key) === true;
    const { binding, definition, before } = isRecursive ? resolveRecursive(inner, entry) : resolvePlain(inner, entry);
    definitions.push(...before, definition);
    bindings.set(key, binding);
  }
  return { environment: { ...environment, ctes: inner.ctes }, definitions };
}

/** A scope with one more name. Scopes join those around them that are no larger, so that few are looked through. */
export function bind(parent: CteScope | undefined, binding: CteBinding): CteScope {
  const bindings = new Map([[binding.name.toLowerCase(), binding]]);
  let around = parent;
  for (; around !== undefined && around.bindings.size <= bindings.size; around = around.parent) {
    for (const [name, outer] of around.bindings) if (!bindings.has(name)) bindings.set(name, outer);
  }
  return { parent: around, bindings };
}

/** A definition, and those that its own WITH puts before it. */
type ResolvedEntry = DefinedCte & { readonly before: readonly CteDefinition[] };

function resolvePlain(environment: Environment, entry: WithEntry): ResolvedEntry {
  const result = resolveSubquery(environment, entry.query);
  refuseRecursive(environment.resolution, result, "inside an inner WITH clause");
  const { definition, binding } = defineCte(environment, entry.name.name, result);
  return { definition, binding, before: [] };
}

/** A definition and the name for it; columns that only its order needs are part of the output, without a name. */
function defineCte(environment: Environment, name: string, result: QueryResult): DefinedCte {
  const { resolution } = environment;
  const output: Column[] = [];
  const ids = new ColumnSet();
  const put = (column: Column): void => {
    if (!ids.has(column.id)) output.push(column);
    ids.add(column.id);
  };
  for (const { column } of result.columns) put(column);
  for (const { column } of result.order?.keys ?? []) put(column);
  const definition: CteDefinition = {
    id: resolution.ids.nextCte++,
    name,
    scan: result.scan,
    output,
    isRecursive: false,
  };
  return { definition, binding: { name, definition, columns: result.columns, order: result.order?.keys } };
}

/** The parts of `anchor UNION [ALL] step`. */
interface Union {
  readonly mode: SetOperationMode;
  readonly anchors: readonly Query[];
  readonly step: Query;
  readonly span: Span;
}

/** The query as such a union, be it written by a pipe; undefined for another form. */
function unionOf(query: Query): Union | undefined {
  const { body, pipes } = query;
  const last = pipes.at(-1);
  const operation = last ?? body;
  if (operation.kind !== "SetOperation" && operation.kind !== "PipeSetOperation") return undefined;
  const { mode, span } = operation;
  const isPlain = mode.byName === undefined || (mode.byName.on === undefined && mode.outer === undefined);
  if (mode.operator !== "UNION" || !isPlain) return undefined;
  const before: Query = { ...query, with: undefined, pipes: pipes.slice(0, -1) };
  const inputs =
    operation.kind === "PipeSetOperation"
      ? [before, ...operation.queries]
      : operation.inputs.map(
          (input): Query =>
            input.kind === "Query" ? input : { kind: "Query", body: input, pipes: [], span: input.span },
        );
  const step = inputs.at(-1);
  const isSorted = last === undefined && (query.orderBy !== undefined || query.limit !== undefined);
  return step === undefined || isSorted ? undefined : { mode, anchors: inputs.slice(0, -1), step, span };
}

/** `anchor UNION [ALL] step`, where the step reads the name itself; after the definitions of a WITH before it. */
function resolveRecursive(environment: Environment, entry: WithEntry): ResolvedEntry {
  const { resolution } = environment;
  const { name } = entry.name;
  const union = unionOf(entry.query);
  if (union === undefined) {
    const message = `Recursive query ${name} must have the form: anchor UNION [ALL | DISTINCT] recursive term`;
    resolution.report("invalid_query", message, entry.name.span, { name });
    const unready: CteBinding = { name, columns: [] };
    const result = resolveSubquery({ ...environment, ctes: bind(environment.ctes, unready) }, entry.query);
    return { ...defineCte(environment, name, result), binding: unready, before: [] };
  }
  const early: CteBinding = {
    name,
    columns: [],
    onRead: (span) =>
      resolution.report("invalid_query", `${name} may only be read in the last term of its recursive query`, span, {
        name,
      }),
  };
  const before = { ...environment, ctes: bind(environment.ctes, early) };
  const inner =
    entry.query.with === undefined ? { environment: before, definitions: [] } : resolveWith(before, entry.query.with);
  const anchors = union.anchors.map((query) => {
    return { result: resolveSubquery(inner.environment, query), span: query.span };
  });
  const [single] = anchors;
  const isSingle = single !== undefined && anchors.length === 1;
  const anchor = isSingle ? single.result : combineResults(resolution, union.mode, anchors);
  const step = (binding: CteBinding): QueryResult => {
    const result = resolveSubquery({ ...environment, ctes: bind(inner.environment.ctes, binding) }, union.step);
    return union.mode.byName === undefined ? result : byNames(resolution, anchor, result, union.step.span);
  };
  const parts = { name, isAll: union.mode.isAll, anchor, step, span: union.span, stepSpan: union.step.span };
  return { ...defineRecursive(resolution, parts), before: inner.definitions };
}

/** The columns of the step in the order of the anchor's, of the same names. */
function byNames(resolution: Resolution, anchor: QueryResult, step: QueryResult, span: Span): QueryResult {
  const keyOf = ({ name }: NamedColumn) => name?.toLowerCase();
  const columns = anchor.columns.flatMap((named) => step.columns.find((each) => keyOf(each) === keyOf(named)) ?? []);
  const areAll = columns.length === anchor.columns.length && columns.length === step.columns.length;
  if (areAll && anchor.columns.every(({ name }) => name !== undefined)) return { ...step, columns };
  resolution.report("invalid_query", "The terms of a recursive query BY NAME must have the same column names", span);
  return step;
}

/**
 * With RECURSIVE, entries may read ones that stand later: each comes after those that it reads. Cycles of several are
 * refused. Walked without recursion.
 */
function sortEntries(
  environment: Environment,
  entries: readonly WithEntry[],
  read: ReadonlyMap<WithEntry, ReadonlySet<string>>,
): readonly WithEntry[] {
  const byName = new Map<string, WithEntry[]>();
  for (const entry of entries) {
    const key = entry.name.name.toLowerCase();
    byName.set(key, [...(byName.get(key) ?? []), entry]);
  }
  const sorted: WithEntry[] = [];
  const state = new Map<WithEntry, "open" | "done">();
  const pending = entries.toReversed();
  for (let entry = pending.at(-1); entry !== undefined; entry = pending.at(-1)) {
    if (state.has(entry)) {
      if (state.get(entry) === "open") sorted.push(entry);
      state.set(entry, "done");
      pending.pop();
      continue;
    }
    state.set(entry, "open");
    const others = [...(read.get(entry) ?? [])].flatMap((name) => byName.get(name) ?? []);
    others.sort((a, b) => b.span.start - a.span.start);
    for (const other of others) {
      if (state.get(other) === undefined) pending.push(other);
      if (state.get(other) !== "open" || other === entry) continue;
      const message = `Mutual recursion of ${entry.name.name} and ${other.name.name} is not supported`;
      environment.resolution.report("unsupported", message, entry.name.span, { name: entry.name.name });
    }
  }
  return sorted;
}

/** The names without a dot that an entry reads as tables, in lower case. */
function namesRead({ query }: WithEntry): ReadonlySet<string> {
  const paths = nodesOf(query, "TableReference").map(({ path: { parts } }) => parts);
  return new Set(paths.flatMap(([name, ...more]) => (more.length === 0 ? (name?.name.toLowerCase() ?? []) : [])));
}
