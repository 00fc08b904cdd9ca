import type { PipeOperator } from "../../ast.ts";
import type { CteDefinition } from "../../resolved.ts";
import { BOOL } from "../../types.ts";
import { coerceOrFail } from "../call/coerce.ts";
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
  return { scan, columns: names.columns, order, isSorted, recursive };
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
  const { resolution } = environment;
  const { relation } = state;
  const unsorted = (next: Relation): PipeState => ({ relation: next, isSorted: false });
  switch (pipe.kind) {
    case "PipeSelect":
      return keepOrder(relation, stateOf(selectFrom(environment, relation, { ...pipe, isPipe: true })));
    case "PipeExtend":
    case "PipeWindow":
      return unsorted(extendRelation(environment, relation, pipe));
    case "PipeSet":
      return unsorted(setColumns(environment, relation, pipe));
    case "PipeDrop":
      return { ...state, relation: dropColumns(resolution, relation, pipe.columns) };
    case "PipeRename":
      return { ...state, relation: renameColumns(resolution, relation, pipe) };
    case "PipeAs":
      return { ...state, relation: { ...relation, names: aliased(relation.names.columns, pipe.alias.name) } };
    case "PipeWhere": {
      const { context, withWindows } = windowContext(environment, relation, "WHERE clause");
      const predicate = coerceOrFail(
        resolution,
        resolveExpression(context, pipe.predicate),
        BOOL,
        "The condition of the WHERE clause",
      );
      return isErrorExpr(predicate)
        ? state
        : unsorted({ ...relation, scan: { kind: "Filter", input: withWindows(), predicate } });
    }
    case "PipeLimit": {
      const limited = limitRows(environment, asResult(state), pipe.limit);
      return { relation: { ...relation, scan: limited.scan }, isSorted: limited.isSorted };
    }
    case "PipeAggregate":
      return unsorted(resolvePipeAggregate(environment, relation, pipe));
    case "PipeDistinct": {
      const star = { kind: "Star", except: [], replace: [], span: pipe.span } as const;
      return unsorted(
        stateOf(selectFrom(environment, relation, { isDistinct: true, items: [star], windows: [], span: pipe.span }))
          .relation,
      );
    }
    case "PipeOrderBy": {
      const { context, withWindows } = windowContext(environment, relation, "ORDER BY clause");
      const { scan, keys } = orderRelation(environment, withWindows, relation.names, pipe.orderBy, context);
      return unsorted({ ...relation, scan, order: { keys, isInherited: false } });
    }
    case "PipeSetOperation": {
      const others = pipe.queries.map((query) => resolveSubquery(environment, query));
      return stateOf(combineResults(resolution, pipe.mode, [asResult(state), ...others], pipe.span));
    }
    case "PipeJoin":
      return unsorted(resolveJoin(environment, relation, pipe));
    case "PipeCall": {
      const name = pipe.function.name.parts.map((part) => part.name).join(".");
      resolution.report("unknown_function", `Table-valued function not found: ${name}`, pipe.function.name.span, {
        name,
      });
      return state;
    }
    case "PipePivot":
      return unsorted(resolvePivot(environment, relation, pipe.pivot));
    case "PipeUnpivot":
      return unsorted(resolveUnpivot(environment, relation, pipe.unpivot));
    case "PipeTableSample":
      return unsorted(resolveSample(environment, relation, pipe.sample));
    case "PipeRecursiveUnion":
      return unsorted(resolveRecursiveUnion(environment, state, pipe));
  }
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

/** An ORDER BY of the pipe itself goes on to hold after a SELECT. */
function keepOrder(before: Relation, after: PipeState): PipeState {
  const { order } = after.relation;
  if (order === undefined || before.order === undefined) return after;
  return {
    ...after,
    relation: { ...after.relation, order: { keys: order.keys, isInherited: before.order.isInherited } },
  };
}
