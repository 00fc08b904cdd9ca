import type { OrderItem, Query, QueryBody } from "../../ast.ts";
import type { Span } from "../../diagnostic.ts";
import type { CteDefinition } from "../../resolved.ts";
import { ColumnSet } from "../column-set.ts";
import { type Environment, plainRelation, type QueryResult, type Relation, resolveSubquery } from "../context.ts";
import { resolveFrom } from "../from/from.ts";
import { applyPipes, type PipeState, stateOf } from "../pipe/pipe.ts";
import { materialize, project } from "../relation.ts";
import { type NamedColumn, NO_NAMES, namedColumn } from "../scope.ts";
import { limitRows, orderRelation } from "./order-by.ts";
import { refuseRecursive } from "./recursion.ts";
import { selectFrom } from "./select.ts";
import { expandColumns } from "./select-list.ts";
import { combineResults } from "./set-operation.ts";
import { resolveWith } from "./with.ts";

/** Resolves a query with all that belongs to it. */
export function resolveQueryRule(environment: Environment, query: Query): QueryResult {
  const { resolution } = environment;
  resolution.descend(1, query.span);
  let inner: Environment = { ...environment, firstColumn: resolution.ids.nextColumn };
  const definitions: CteDefinition[] = [];
  if (query.with !== undefined) {
    const resolved = resolveWith(inner, query.with);
    inner = resolved.environment;
    definitions.push(...resolved.definitions);
  }
  let result: QueryResult;
  if (
    query.pipes.length > 0 &&
    query.body.kind === "FromQuery" &&
    query.orderBy === undefined &&
    query.limit === undefined
  ) {
    result = pipeResult(inner, query, { relation: resolveFrom(inner, query.body.from), isSorted: false });
  } else {
    result = resolveBody(inner, query.body, query.orderBy);
    if (query.limit !== undefined) result = limitRows(inner, result, query.limit);
    if (query.pipes.length > 0) result = pipeResult(inner, query, stateOf(result));
  }
  if (definitions.length > 0) result = { ...result, scan: { kind: "With", ctes: definitions, input: result.scan } };
  resolution.rise(1);
  return result;
}

/** Refuses clauses that only make sense with rows. */
function refuseWithoutFrom(
  { resolution }: Environment,
  body: QueryBody & { readonly kind: "Select" },
  orderBy: readonly OrderItem[] | undefined,
): void {
  const refuse = (what: string, { span }: { readonly span: Span }): void =>
    resolution.report("invalid_query", `Query without FROM clause cannot ${what}`, span);
  const [key] = orderBy ?? [];
  if (body.where !== undefined) refuse("have a WHERE clause", body.where);
  if (body.groupBy !== undefined) refuse("have a GROUP BY clause", body.groupBy);
  if (body.having !== undefined) refuse("have a HAVING clause", body.having);
  if (key !== undefined) refuse("have an ORDER BY clause", key);
  if (body.isDistinct) refuse("use SELECT DISTINCT", body);
}

function resolveBody(
  environment: Environment,
  body: QueryBody,
  orderBy: readonly OrderItem[] | undefined,
): QueryResult {
  switch (body.kind) {
    case "Select": {
      const source =
        body.from === undefined ? plainRelation({ kind: "SingleRow" }, NO_NAMES) : resolveFrom(environment, body.from);
      if (body.from === undefined) refuseWithoutFrom(environment, body, orderBy);
      return selectFrom(environment, source, body, orderBy);
    }
    case "SetOperation": {
      const inputs = body.inputs.map((input) => {
        const { span } = input;
        const query: Query = input.kind === "Query" ? input : { kind: "Query", body: input, pipes: [], span };
        return { result: resolveSubquery(environment, query), span };
      });
      return orderResult(environment, combineResults(environment.resolution, body.mode, inputs), orderBy);
    }
    case "FromQuery":
      return orderResult(environment, resultOf(environment, resolveFrom(environment, body.from), body.span), orderBy);
    case "Query":
      return orderResult(environment, resolveSubquery(environment, body), orderBy);
  }
}

function orderResult(
  environment: Environment,
  result: QueryResult,
  orderBy: readonly OrderItem[] | undefined,
): QueryResult {
  if (orderBy === undefined) return result;
  refuseRecursive(environment.resolution, result, "with ORDER BY");
  const { scan, keys } = orderRelation(environment, result.scan, { columns: result.columns, ranges: [] }, orderBy);
  return { ...result, scan, order: { keys, isInherited: false }, isSorted: false };
}

/** A relation as a query's result: what SELECT * gives. */
function resultOf(environment: Environment, relation: Relation, span: Query["span"]): QueryResult {
  const { resolution } = environment;
  const { names, scan, order, recursive } = relation;
  const [only] = names.columns;
  if (only?.isValue === true && names.columns.length === 1) {
    const columns = [{ name: undefined, column: only.column, isValue: true }];
    return { scan, columns, order, isSorted: false, recursive };
  }
  const computed: Parameters<typeof materialize>[3] = [];
  const taken = new ColumnSet();
  const columns = expandColumns(resolution, names.columns, span).map((item): NamedColumn => {
    const column = materialize(resolution, item.expression, item.name ?? "f", computed, () => true, taken);
    return namedColumn(item.name, column);
  });
  return { scan: project(scan, computed), columns, order, isSorted: false, recursive };
}

/** Runs a query's result, or its FROM clause, through its pipe operators. */
function pipeResult(environment: Environment, query: Query, start: PipeState): QueryResult {
  const state = applyPipes(environment, start, query.pipes);
  const result = resultOf(environment, state.relation, query.span);
  return state.isSorted ? { ...result, isSorted: true } : result;
}
