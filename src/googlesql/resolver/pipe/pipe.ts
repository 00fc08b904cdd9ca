import type { PipeOperator } from "../../ast.ts";
import type { CteDefinition, Scan } from "../../resolved.ts";
import { BOOL } from "../../types.ts";
import { coerceOrFail } from "../call/coerce.ts";
import { reportUnknownFunction } from "../call/unknown-function.ts";
import {
  type CteBinding,
  type Environment,
  plainRelation,
  type QueryResult,
  type Relation,
  resolveExpression,
  resolveSubquery,
} from "../context.ts";
import { resolveJoin } from "../from/from.ts";
import { resolvePivot } from "../from/pivot.ts";
import { resolveSample } from "../from/suffix.ts";
import { scanCte } from "../from/table.ts";
import { resolveUnpivot } from "../from/unpivot.ts";
import { aliased } from "../relation.ts";
import { isErrorExpr } from "../resolution.ts";
import { shownColumns } from "../scope.ts";
import { limitRows, orderRelation } from "../select/order-by.ts";
import { defineRecursive } from "../select/recursive-cte.ts";
import { selectFrom } from "../select/select.ts";
import { combineResults } from "../select/set-operation.ts";
import { bind, resolveWith } from "../select/with.ts";
import { resolvePipeAggregate } from "./pipe-aggregate.ts";
import { dropColumns, extendRelation, renameColumns, setColumns, windowContext } from "./pipe-columns.ts";

/** Rows between two pipe operators. */
export interface PipeState {
  readonly relation: Relation;
  /** Is the scan itself sorted by the relation's order? */
  readonly isSorted: boolean;
}

/** A query's result as the input of a pipe: its columns have names, but no table alias. */
export function stateOf(result: QueryResult): PipeState {
  const { scan, columns, order, recursive, isSorted } = result;
  return {
    relation: { scan, names: { columns, ranges: [] }, order, recursive },
    isSorted,
  };
}

/** The rows between two operators as a query's result, without names of tables. */
function asResult({ relation, isSorted }: PipeState): QueryResult {
  const { scan, names, order, recursive } = relation;
  return { scan, columns: shownColumns(names.columns), order, isSorted, recursive };
}

/** Applies pipe operators in order; a WITH among them is visible to those after it. */
export function applyPipes(environment: Environment, start: PipeState, pipes: readonly PipeOperator[]): PipeState {
  const { resolution } = environment;
  let state = start;
  let inner = environment;
  const definitions: CteDefinition[] = [];
  for (const pipe of pipes) {
    resolution.descend(2, pipe.span);
    if (pipe.kind === "PipeWith") {
      const resolved = resolveWith(inner, pipe.with);
      inner = resolved.environment;
      definitions.push(...resolved.definitions);
    } else state = applyPipe(inner, state, pipe);
  }
  resolution.rise(2 * pipes.length);
  if (definitions.length === 0) return state;
  return {
    ...state,
    relation: { ...state.relation, scan: { kind: "With", ctes: definitions, input: state.relation.scan } },
  };
}

type Operator<Kind extends PipeOperator["kind"]> = PipeOperator & { readonly kind: Kind };

function applyPipe(
  environment: Environment,
  state: PipeState,
  pipe: Exclude<PipeOperator, Operator<"PipeWith">>,
): PipeState {
  const { relation } = state;
  switch (pipe.kind) {
    case "PipeSelect":
      return keepOrder(relation, stateOf(selectFrom(environment, relation, { ...pipe, isPipe: true })));
    case "PipeDrop":
      return { ...state, relation: dropColumns(environment.resolution, relation, pipe.columns) };
    case "PipeRename":
      return { ...state, relation: renameColumns(environment.resolution, relation, pipe) };
    case "PipeAs":
      return { ...state, relation: { ...relation, names: aliased(relation.names.columns, pipe.alias.name) } };
    case "PipeLimit": {
      const limited = limitRows(environment, asResult(state), pipe.limit);
      return { relation: { ...relation, scan: limited.scan }, isSorted: limited.isSorted };
    }
    case "PipeSetOperation": {
      const inputs = [
        { result: asResult(state), span: pipe.span },
        ...pipe.queries.map((query) => ({ result: resolveSubquery(environment, query), span: query.span })),
      ];
      return stateOf(combineResults(environment.resolution, pipe.mode, inputs));
    }
    case "PipeWhere":
      return filterRows(environment, state, pipe);
    case "PipeCall":
      reportUnknownFunction(environment.resolution, pipe.function.name, "Table-valued function");
      return state;
    case "PipeRecursiveUnion":
      return { relation: resolveRecursiveUnion(environment, state, pipe), isSorted: false };
    default:
      return { relation: makeRows(environment, relation, pipe), isSorted: false };
  }
}

/** Operators that make new rows, whose scan does not preserve an order. */
type MakingOperator = Operator<
  | "PipeExtend"
  | "PipeWindow"
  | "PipeSet"
  | "PipeAggregate"
  | "PipeDistinct"
  | "PipeOrderBy"
  | "PipeJoin"
  | "PipePivot"
  | "PipeUnpivot"
  | "PipeTableSample"
>;

function makeRows(environment: Environment, relation: Relation, pipe: MakingOperator): Relation {
  switch (pipe.kind) {
    case "PipeExtend":
    case "PipeWindow":
      return extendRelation(environment, relation, pipe);
    case "PipeSet":
      return setColumns(environment, relation, pipe);
    case "PipeAggregate":
      return resolvePipeAggregate(environment, relation, pipe);
    case "PipeDistinct": {
      const star = { kind: "Star", except: [], replace: [], span: pipe.span } as const;
      const clauses = { isDistinct: true, items: [star], windows: [], span: pipe.span };
      return stateOf(selectFrom(environment, relation, clauses)).relation;
    }
    case "PipeOrderBy": {
      const { context, withWindows } = windowContext(environment, relation, "ORDER BY clause");
      const { scan, keys } = orderRelation(environment, withWindows, relation.names, pipe.orderBy, context);
      return { ...relation, scan, order: { keys, isInherited: false } };
    }
    case "PipeJoin":
      return resolveJoin(environment, relation, pipe);
    case "PipePivot":
      return resolvePivot(environment, relation, pipe.pivot);
    case "PipeUnpivot":
      return resolveUnpivot(environment, relation, pipe.unpivot);
    case "PipeTableSample":
      return resolveSample(environment, relation, pipe.sample);
  }
}

function filterRows(environment: Environment, state: PipeState, pipe: Operator<"PipeWhere">): PipeState {
  const { relation } = state;
  const { context, withWindows } = windowContext(environment, relation, "WHERE clause");
  const value = resolveExpression(context, pipe.predicate);
  const predicate = coerceOrFail(environment.resolution, value, BOOL, "The condition of the WHERE clause");
  if (isErrorExpr(predicate)) return state;
  const scan: Scan = { kind: "Filter", input: withWindows(), predicate };
  return { relation: { ...relation, scan }, isSorted: false };
}

/** `RECURSIVE UNION`: a sub-pipe begins with the rows found last; a query reads them by the alias. */
function resolveRecursiveUnion(
  environment: Environment,
  state: PipeState,
  pipe: Operator<"PipeRecursiveUnion">,
): Relation {
  const { resolution } = environment;
  const { mode, query, span, alias } = pipe;
  if (mode.operator !== "UNION" || mode.byName !== undefined) {
    resolution.report("unsupported", "RECURSIVE takes UNION ALL or UNION DISTINCT, by position", span);
    return state.relation;
  }
  const name = alias?.name ?? "recursive rows";
  const step = (binding: CteBinding): QueryResult =>
    "kind" in query
      ? resolveSubquery({ ...environment, ctes: bind(environment.ctes, binding) }, query)
      : asResult(
          applyPipes(environment, { relation: scanCte(environment, binding, name, span), isSorted: false }, query),
        );
  const parts = { name, isAll: mode.isAll, anchor: asResult(state), step, mustRead: true, span, stepSpan: span };
  const { definition, binding } = defineRecursive(resolution, parts);
  const rows = scanCte(environment, binding, name, span);
  const names = alias === undefined ? { columns: rows.names.columns, ranges: [] } : rows.names;
  return plainRelation({ kind: "With", ctes: [definition], input: rows.scan }, names);
}

/** An ORDER BY of the pipe itself still applies after a SELECT. */
function keepOrder(before: Relation, after: PipeState): PipeState {
  const { order } = after.relation;
  if (order === undefined || before.order === undefined) return after;
  return {
    ...after,
    relation: { ...after.relation, order: { keys: order.keys, isInherited: before.order.isInherited } },
  };
}
