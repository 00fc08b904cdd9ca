/**
 * Sub-queries in branches of CASE, IF, IFNULL and COALESCE. DuckDB computes a sub-query as a join, before the branch is
 * chosen: one that fails would fail the query where its branch is not taken. Such a sub-query is made to read no rows
 * there: a column says whether the branch is taken, and its scans are filtered by it, as are those of the sub-queries
 * within.
 */

import { functionFacts } from "../../../googlesql/catalogue/index.ts";
import { createMapping } from "../../../googlesql/resolved/map.ts";
import { type AnySubquery, isSubquery, someExpression } from "../../../googlesql/resolved/walk.ts";
import type { AnyExpr, ColumnExpr, CteDefinition, Expr, ResolvedQuery, Scan } from "../../../googlesql/resolved.ts";
import { call, columnExpr, truth } from "../../../googlesql/resolver/expression/expr.ts";
import { BOOL } from "../../../googlesql/types.ts";
import type { Analysis } from "../../lowering/analysis.ts";
import { isFailingQuery } from "../../lowering/failing.ts";
import { isRandomCall } from "../../lowering/parts.ts";

interface Guards {
  readonly analysis: Analysis;
  isAny: boolean;
  /** Definitions with guards of their own. */
  readonly ctes: Map<CteDefinition, CteDefinition>;
}

/** Columns that a scan's expressions ask for, below it. */
type Asked = { readonly column: ColumnExpr["column"]; readonly expression: Expr }[];

/** The query with its guards; itself where it needs none. */
export function guardBranches(query: ResolvedQuery, analysis: Analysis): ResolvedQuery {
  const guards: Guards = { analysis, isAny: false, ctes: new Map() };
  const scan = guardScan(guards, query.scan);
  return guards.isAny ? { ...query, scan } : query;
}

/** The scan with its guards. `around`: a column of a query around that is true where this one is taken. */
function guardScan(guards: Guards, scan: Scan, around?: Expr): Scan {
  const into = (input: Scan) => guardScan(guards, input, around);
  const asked: Asked = [];
  const own = (expression: Expr) => guard(guards, asked, expression, around);
  switch (scan.kind) {
    case "SingleRow":
    case "Table":
    case "Recursive":
      return scan;
    case "Cte":
      return { ...scan, cte: guards.ctes.get(scan.cte) ?? scan.cte };
    case "Unnest": {
      const arrays = scan.arrays.map((item) => ({ ...item, array: own(item.array) }));
      return {
        ...scan,
        arrays,
        input: withColumns(into(scan.input ?? { kind: "SingleRow" }), asked),
        on: guardPairs(guards, scan.on, around),
      };
    }
    case "Join":
      return { ...scan, left: into(scan.left), right: into(scan.right), on: guardPairs(guards, scan.on, around) };
    case "SetOperation":
      return { ...scan, inputs: scan.inputs.map((input) => ({ ...input, scan: into(input.scan) })) };
    case "With":
      return guardWith(guards, scan, around);
    case "Project": {
      const computed = scan.computed.map((item) => ({ ...item, expression: own(item.expression) }));
      return { ...scan, input: withColumns(into(scan.input), asked), computed };
    }
    case "Filter": {
      const predicate = own(scan.predicate);
      return { ...scan, input: withColumns(into(scan.input), asked), predicate };
    }
    case "Aggregate": {
      const groupBy = scan.groupBy.map((item) => ({ ...item, expression: own(item.expression) }));
      const aggregates = scan.aggregates.map(({ column, call }) => {
        return { column, call: { ...call, arguments: call.arguments.map(own) } };
      });
      return { ...scan, input: withColumns(into(scan.input), asked), groupBy, aggregates };
    }
    default:
      return { ...scan, input: into(scan.input) };
  }
}

/** A condition of pairs of rows. What only a pair shows is a column of neither side. */
function guardPairs(guards: Guards, on: Expr | undefined, around: Expr | undefined): Expr | undefined {
  const asked: Asked = [];
  const guarded = on && guard(guards, asked, on, around);
  return asked.length === 0 ? guarded : on;
}

function guardWith(guards: Guards, scan: Scan & { kind: "With" }, around: Expr | undefined): Scan {
  const ctes = scan.ctes.map((cte) => {
    if (cte.isRecursive) return cte;
    const guarded = { ...cte, scan: guardScan(guards, cte.scan) };
    guards.ctes.set(cte, guarded);
    return guarded;
  });
  return { ...scan, ctes, input: guardScan(guards, scan.input, around) };
}

function withColumns(input: Scan, asked: Asked): Scan {
  return asked.length === 0 ? input : { kind: "Project", input, computed: asked };
}

/** The expression, computed where `taken` holds; everywhere without it. */
function guard(guards: Guards, asked: Asked, expression: Expr, taken?: Expr): Expr {
  const guardAt = (at: Expr): Expr | undefined => {
    switch (at.kind) {
      case "Subquery":
        return { ...at, scan: guardQuery(guards, asked, at, taken) };
      case "InSubquery": {
        const operand = guard(guards, asked, at.operand, taken);
        return { ...at, operand, scan: guardQuery(guards, asked, at, taken) };
      }
      // What names a variable cannot be computed outside of it.
      case "Lambda":
      case "Let":
        return at;
      case "Case": {
        const conditions: Expr[] = [];
        const branches = at.branches.map(({ when, then }) => {
          const tested = guard(guards, asked, when, andFirst(taken, conditions, undefined));
          const shown = guard(guards, asked, then, andFirst(taken, conditions, when));
          conditions.push(when);
          return branch(tested, shown);
        });
        return {
          ...at,
          branches,
          else: at.else && guard(guards, asked, at.else, andFirst(taken, conditions, undefined)),
        };
      }
      case "Call":
        return guardCall(guards, asked, at, taken);
      default:
        return undefined;
    }
  };
  return createMapping({ expression: guardAt }).expression(expression);
}

function guardCall(guards: Guards, asked: Asked, call: Expr & { kind: "Call" }, taken: Expr | undefined) {
  const [first, second, third] = call.arguments;
  const { laziness } = functionFacts(call.function);
  if (call.isSafe || first === undefined) return undefined;
  if (laziness === "choice" && second !== undefined && third !== undefined) {
    const operands = [
      guard(guards, asked, first, taken),
      guard(guards, asked, second, andFirst(taken, [], first)),
      guard(guards, asked, third, andFirst(taken, [first], undefined)),
    ];
    return { ...call, arguments: operands };
  }
  if (laziness !== "fallback") return undefined;
  const found: Expr[] = [];
  const operands = call.arguments.map((operand) => {
    if (operand === undefined) return operand;
    const guarded = guard(guards, asked, operand, andFirst(taken, found, undefined));
    found.push(booleanCall("$not", booleanCall("$is_null", operand)));
    return guarded;
  });
  return { ...call, arguments: operands };
}

const booleanCall = (name: string, operand: Expr): Expr => call(name, [operand], BOOL, operand.span);

// biome-ignore lint/suspicious/noThenProperty: a branch of CASE is never awaited
const branch = (when: Expr, value: Expr) => ({ when, then: value });

/** Whether none of the conditions before holds, and the last one does; asked in their order, as the branches are. */
function andFirst(taken: Expr | undefined, before: readonly Expr[], last: Expr | undefined): Expr | undefined {
  const [any = last] = before;
  if (any === undefined) return taken;
  const [no, yes] = [truth(false, any.span), truth(true, any.span)];
  const none = taken === undefined ? [] : [booleanCall("$not", booleanCall("$is_true", taken))];
  const others = [...none, ...before].map((when) => branch(when, no));
  const branches = last === undefined ? others : [...others, branch(last, yes)];
  return { kind: "Case", branches, else: last === undefined ? yes : no, type: BOOL, span: any.span };
}

/** The sub-query's scan, without rows where it is not taken. */
function guardQuery(guards: Guards, asked: Asked, query: AnySubquery, taken: Expr | undefined): Scan {
  const { scan } = query;
  if (taken === undefined || !isFailingQuery(query) || someExpression(taken, isRandomOrQuery, false)) {
    return guardScan(guards, scan);
  }
  const column = toColumn(guards, asked, taken);
  const isEmptied = emptyUnless(column, scan) !== undefined;
  const own = guardScan(guards, scan, isEmptied ? column : undefined);
  return emptyUnless(column, own) ?? own;
}

/** Is it another value the next time, or one that another sub-query has to show first? */
const isRandomOrQuery = (at: AnyExpr) => isRandomCall(at) || isSubquery(at);

/** The condition as a column that the scan below is asked for; itself where it is one of a query around. */
function toColumn(guards: Guards, asked: Asked, taken: Expr): ColumnExpr {
  if (taken.kind === "Column") return taken;
  guards.isAny = true;
  const column = guards.analysis.newColumn("taken", BOOL);
  asked.push({ column, expression: taken });
  return columnExpr(column, taken.span);
}

type SetInput = Extract<Scan, { readonly kind: "SetOperation" }>["inputs"][number];

/** The scan, of no rows unless the column is true; undefined where DuckDB takes no scan that reads a row around it. */
function emptyUnless(column: ColumnExpr, scan: Scan): Scan | undefined {
  const filtered = (input: Scan): Scan => ({ kind: "Filter", input, predicate: column });
  const into = (at: Extract<Scan, { readonly input: Scan }>): Scan | undefined => {
    const input = emptyUnless(column, at.input);
    return input && { ...at, input };
  };
  switch (scan.kind) {
    case "SingleRow":
    case "Table":
    case "Cte":
      return filtered(scan);
    case "Unnest": {
      const input = emptyUnless(column, scan.input ?? { kind: "SingleRow" });
      return input && { ...scan, input };
    }
    case "Join": {
      const [left, right] = [emptyUnless(column, scan.left), emptyUnless(column, scan.right)];
      return left && right && { ...scan, left, right };
    }
    case "Aggregate": {
      const isOfNone = scan.groupBy.length === 0 || scan.groupingSets?.some((set) => set.length === 0) === true;
      const emptied = into(scan);
      return emptied && isOfNone ? filtered(emptied) : emptied;
    }
    case "Limit": {
      const isKnown = [scan.count, scan.offset].every((bound) => bound === undefined || bound.kind === "Literal");
      return isKnown ? into(scan) : undefined;
    }
    case "SetOperation": {
      const inputs: SetInput[] = [];
      for (const input of scan.inputs) {
        const emptied = emptyUnless(column, input.scan);
        if (emptied === undefined) return undefined;
        inputs.push({ ...input, scan: emptied });
      }
      return { ...scan, inputs };
    }
    case "Recursive":
      return undefined;
    default:
      return into(scan);
  }
}
