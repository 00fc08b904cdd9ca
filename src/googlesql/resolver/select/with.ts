import { nodesOf } from "../../ast/walk.ts";
import type { Query, WithClause, WithEntry } from "../../ast.ts";
import type { Span } from "../../diagnostic.ts";
import type { Column, CteDefinition } from "../../resolved.ts";
import { ColumnSet } from "../column-set.ts";
import { type CteBinding, type CteScope, type Environment, type QueryResult, resolveSubquery } from "../context.ts";
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
    const { binding, definition } = isRecursive ? resolveRecursive(inner, entry) : resolvePlain(inner, entry);
    definitions.push(definition);
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

function resolvePlain(environment: Environment, entry: WithEntry): DefinedCte {
  const result = resolveSubquery(environment, entry.query);
  refuseRecursive(environment.resolution, result, "inside an inner WITH clause");
  return defineCte(environment, entry.name.name, result);
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
  return {
    definition,
    binding: {
      name,
      definition,
      columns: result.columns,
      ...(result.order === undefined ? {} : { order: result.order.keys }),
    },
  };
}

/** `anchor UNION [ALL] step`, where the step reads the name itself. */
function resolveRecursive(environment: Environment, entry: WithEntry): DefinedCte {
  const { resolution } = environment;
  const { name } = entry.name;
  const { body } = entry.query;
  const inputs =
    body.kind === "SetOperation" && body.mode.operator === "UNION" && body.mode.byName === undefined ? body.inputs : [];
  const stepNode = inputs.at(-1);
  const isPlain =
    entry.query.orderBy === undefined &&
    entry.query.limit === undefined &&
    entry.query.pipes.length === 0 &&
    entry.query.with === undefined;
  const refuse = (message: string, span: Span): DefinedCte => {
    resolution.report("invalid_query", message, span, { name });
    const unready: CteBinding = { name, columns: [] };
    return {
      ...defineCte(
        environment,
        name,
        resolveSubquery({ ...environment, ctes: bind(environment.ctes, unready) }, entry.query),
      ),
      binding: unready,
    };
  };
  if (body.kind !== "SetOperation" || stepNode === undefined || !isPlain) {
    return refuse(
      `Recursive query ${name} must have the form: anchor UNION [ALL | DISTINCT] recursive term`,
      entry.name.span,
    );
  }
  const asQuery = (input: (typeof inputs)[number]): Query =>
    input.kind === "Query" ? input : { kind: "Query", body: input, pipes: [], span: input.span };
  const early: CteBinding = {
    name,
    columns: [],
    onRead: (span) =>
      resolution.report("invalid_query", `${name} may only be read in the last term of its recursive query`, span, {
        name,
      }),
  };
  const anchorEnvironment = { ...environment, ctes: bind(environment.ctes, early) };
  const anchors = inputs.slice(0, -1).map((input) => resolveSubquery(anchorEnvironment, asQuery(input)));
  const [single] = anchors;
  const anchor =
    single !== undefined && anchors.length === 1 ? single : combineResults(resolution, body.mode, anchors, body.span);
  const step = (binding: CteBinding): QueryResult =>
    resolveSubquery({ ...environment, ctes: bind(environment.ctes, binding) }, asQuery(stepNode));
  return defineRecursive(resolution, {
    name,
    isAll: body.mode.isAll,
    anchor,
    step,
    span: body.span,
    stepSpan: stepNode.span,
  });
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
