import type { Query, WithClause, WithEntry } from "../ast.ts";
import type { Span } from "../diagnostic.ts";
import type { Column, ComputedColumn, CteDefinition, Scan } from "../resolved.ts";
import { INT64 } from "../types.ts";
import { isSameType } from "../typing/same-type.ts";
import { coerce, typeName } from "./coerce.ts";
import { type CteBinding, type CteScope, type Environment, type QueryResult, resolveSubquery } from "./context.ts";
import { columnExpr } from "./expr.ts";
import { refuseRecursive } from "./recursion.ts";
import { project } from "./relation.ts";
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
  const entries = node.isRecursive ? sortEntries(environment, node.entries) : node.entries;
  let scope = environment.ctes;
  const seen = new Set<string>();
  for (const entry of entries) {
    const key = entry.name.name.toLowerCase();
    if (seen.has(key))
      resolution.report("duplicate_name", `Duplicate alias ${entry.name.name} for WITH subquery`, entry.name.span, {
        name: entry.name.name,
      });
    seen.add(key);
    const inner: Environment = { ...environment, ctes: scope, outer: undefined };
    const isRecursive = node.isRecursive && mentions(entry.query, key);
    const { binding, definition } = isRecursive ? resolveRecursive(inner, entry) : resolvePlain(inner, entry);
    definitions.push(definition);
    scope = bind(scope, binding);
  }
  return { environment: { ...environment, ctes: scope }, definitions };
}

/** A scope with one more name. */
function bind(parent: CteScope | undefined, binding: CteBinding): CteScope {
  return { parent, bindings: new Map([[binding.name.toLowerCase(), binding]]) };
}

interface Resolved {
  readonly binding: CteBinding;
  readonly definition: CteDefinition;
}

function resolvePlain(environment: Environment, entry: WithEntry): Resolved {
  const result = resolveSubquery(environment, entry.query);
  refuseRecursive(environment.resolution, result, "inside an inner WITH clause");
  return defineCte(environment, entry.name.name, result);
}

/** A definition and the name for it; columns that only its order needs are part of the output, without a name. */
function defineCte(environment: Environment, name: string, result: QueryResult): Resolved {
  const { resolution } = environment;
  const output: Column[] = [];
  const ids = new Set<number>();
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
function resolveRecursive(environment: Environment, entry: WithEntry): Resolved {
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
  const refuse = (message: string, span: Span): Resolved => {
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
  const columns = anchor.columns.map((named) => ({
    ...named,
    column: resolution.newColumn(named.column.name, named.column.type.kind === "UNKNOWN" ? INT64 : named.column.type),
  }));
  const output = columns.map((named) => named.column);
  const definition: { -readonly [Key in keyof CteDefinition]: CteDefinition[Key] } = {
    id: resolution.ids.nextCte++,
    name,
    scan: { kind: "SingleRow" },
    output,
    isRecursive: true,
  };
  let reads = 0;
  const binding: CteBinding = {
    name,
    definition,
    columns,
    isOpen: true,
    onRead: (span) => {
      if (reads++ > 0)
        resolution.report("invalid_query", `Multiple recursive references to ${name} in one recursive term`, span, {
          name,
        });
    },
  };
  const step = resolveSubquery({ ...environment, ctes: bind(environment.ctes, binding) }, asQuery(stepNode));
  definition.scan = {
    kind: "Recursive",
    isAll: body.mode.isAll,
    anchor: coerceTo(environment, anchor, output, body.span),
    step: coerceTo(environment, step, output, stepNode.span),
    columns: output.map((column) => resolution.newColumn(column.name, column.type)),
  };
  definition.output = definition.scan.columns;
  const ready = columns.map((named, i) => ({ ...named, column: definition.output[i] ?? named.column }));
  return { definition, binding: { name, definition, columns: ready } };
}

function coerceTo(
  environment: Environment,
  result: QueryResult,
  targets: readonly Column[],
  span: Span,
): { readonly scan: Scan; readonly columns: readonly Column[] } {
  const { resolution } = environment;
  if (result.columns.length !== targets.length) {
    resolution.report(
      "invalid_query",
      `The terms of a recursive query must have the same number of columns; they have ${targets.length} and ${result.columns.length}`,
      span,
    );
  }
  const computed: ComputedColumn[] = [];
  const columns = targets.map((target, i) => {
    const column = result.columns[i]?.column ?? target;
    if (isSameType(column.type, target.type)) return column;
    const expression = coerce(resolution, columnExpr(column, span), target.type);
    if (expression === undefined) {
      resolution.report(
        "type_mismatch",
        `Column ${i + 1} of the recursive term has type ${typeName(column.type)}, which does not coerce to ${typeName(target.type)}`,
        span,
      );
      return column;
    }
    const typed = resolution.newColumn(target.name, target.type);
    computed.push({ column: typed, expression });
    return typed;
  });
  return { scan: project(result.scan, computed), columns };
}

/** With RECURSIVE, entries may read ones that stand later: each comes after those that it reads. Cycles of several are refused. */
function sortEntries(environment: Environment, entries: readonly WithEntry[]): readonly WithEntry[] {
  const sorted: WithEntry[] = [];
  const state = new Map<WithEntry, "open" | "done">();
  const visit = (entry: WithEntry): void => {
    state.set(entry, "open");
    for (const other of entries) {
      if (other === entry || !mentions(entry.query, other.name.name.toLowerCase())) continue;
      if (state.get(other) === "open") {
        environment.resolution.report(
          "unsupported",
          `Mutual recursion of ${entry.name.name} and ${other.name.name} is not supported`,
          entry.name.span,
          { name: entry.name.name },
        );
      } else if (state.get(other) === undefined) visit(other);
    }
    state.set(entry, "done");
    sorted.push(entry);
  };
  for (const entry of entries) if (state.get(entry) === undefined) visit(entry);
  return sorted;
}

/** Does any table reference below the node have this name? Walked without recursion. */
function mentions(node: unknown, name: string): boolean {
  const open: unknown[] = [node];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) continue;
    if (Array.isArray(next)) {
      for (const item of next) open.push(item);
      continue;
    }
    if ("kind" in next && next.kind === "TableReference" && "path" in next) {
      const { parts } = next.path as { readonly parts: readonly { readonly name: string }[] };
      if (parts.length === 1 && parts[0]?.name.toLowerCase() === name) return true;
    }
    for (const value of Object.values(next)) if (typeof value === "object") open.push(value);
  }
  return false;
}
