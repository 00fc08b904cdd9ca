/**
 * Sub-queries in branches of CASE, IF, IFNULL and COALESCE. DuckDB computes a sub-query as a join, before the branch is
 * chosen: one that fails would fail the query where its branch is not taken. Such a sub-query is made to read no rows
 * there: a column tells whether the branch is taken, and its scans are filtered by it.
 */
import type {
  AggregateCall,
  ColumnExpr,
  CteDefinition,
  Expr,
  ResolvedQuery,
  Scan,
  WindowCall,
} from "../../../googlesql/resolved.ts";
import { mapExpr } from "../../../googlesql/resolver/transform.ts";
import { BOOL } from "../../../googlesql/types.ts";
import { someExpression, someScanned } from "../../lowering/children.ts";
import { canFail } from "../../lowering/failing.ts";
import { isRandomCall } from "./expression/random-call.ts";

/** Ids that no column of a resolved query reaches, nor those that stand for the rows of a server. */
const FIRST_GUARD = 2_000_000;

interface Guards {
  made: number;
  /** Definitions with guards of their own. */
  readonly ctes: Map<CteDefinition, CteDefinition>;
}

/** Columns that a scan's expressions ask for, below it. */
type Asked = { readonly column: ColumnExpr["column"]; readonly expression: Expr }[];

/** The query with its guards; itself where it needs none. */
export function guardBranches(query: ResolvedQuery): ResolvedQuery {
  const guards: Guards = { made: 0, ctes: new Map() };
  const scan = guardScan(guards, query.scan);
  return guards.made === 0 ? query : { ...query, scan };
}

function guardScan(guards: Guards, scan: Scan): Scan {
  switch (scan.kind) {
    case "SingleRow":
    case "Table":
    case "Recursive":
      return scan;
    case "Cte":
      return { ...scan, cte: guards.ctes.get(scan.cte) ?? scan.cte };
    case "Unnest":
      return scan.input === undefined ? scan : { ...scan, input: guardScan(guards, scan.input) };
    case "Join":
      return { ...scan, left: guardScan(guards, scan.left), right: guardScan(guards, scan.right) };
    case "SetOperation":
      return { ...scan, inputs: scan.inputs.map((input) => ({ ...input, scan: guardScan(guards, input.scan) })) };
    case "With":
      return guardWith(guards, scan);
    case "Project": {
      const asked: Asked = [];
      const computed = scan.computed.map((item) => ({ ...item, expression: guard(guards, asked, item.expression) }));
      return { ...scan, input: withColumns(guardScan(guards, scan.input), asked), computed };
    }
    case "Filter": {
      const asked: Asked = [];
      const predicate = guard(guards, asked, scan.predicate);
      return { ...scan, input: withColumns(guardScan(guards, scan.input), asked), predicate };
    }
    case "Aggregate": {
      const asked: Asked = [];
      const own = (expression: Expr) => guard(guards, asked, expression);
      const groupBy = scan.groupBy.map((item) => ({ ...item, expression: own(item.expression) }));
      const aggregates = scan.aggregates.map(({ column, call }) => {
        return { column, call: { ...call, arguments: call.arguments.map(own) } };
      });
      return { ...scan, input: withColumns(guardScan(guards, scan.input), asked), groupBy, aggregates };
    }
    default:
      return { ...scan, input: guardScan(guards, scan.input) };
  }
}

function guardWith(guards: Guards, scan: Scan & { kind: "With" }): Scan {
  const ctes = scan.ctes.map((cte) => {
    if (cte.isRecursive) return cte;
    const guarded = { ...cte, scan: guardScan(guards, cte.scan) };
    guards.ctes.set(cte, guarded);
    return guarded;
  });
  return { ...scan, ctes, input: guardScan(guards, scan.input) };
}

function withColumns(input: Scan, asked: Asked): Scan {
  return asked.length === 0 ? input : { kind: "Project", input, computed: asked };
}

/** The expression, computed where `taken` holds; everywhere without it. */
function guard(guards: Guards, asked: Asked, expression: Expr, taken?: Expr): Expr {
  return mapExpr(expression, (at) => {
    switch (at.kind) {
      case "Subquery":
        return { ...at, scan: guardQuery(guards, asked, at.scan, taken) };
      case "InSubquery": {
        const operand = guard(guards, asked, at.operand, taken);
        return { ...at, operand, scan: guardQuery(guards, asked, at.scan, taken) };
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
  });
}

function guardCall(guards: Guards, asked: Asked, call: Expr & { kind: "Call" }, taken: Expr | undefined) {
  const [first, second, third] = call.arguments;
  if (call.isSafe || first === undefined) return undefined;
  if (call.function === "IF" && second !== undefined && third !== undefined) {
    const operands = [
      guard(guards, asked, first, taken),
      guard(guards, asked, second, andFirst(taken, [], first)),
      guard(guards, asked, third, andFirst(taken, [first], undefined)),
    ];
    return { ...call, arguments: operands };
  }
  if (call.function !== "COALESCE" && call.function !== "IFNULL") return undefined;
  const found: Expr[] = [];
  const operands = call.arguments.map((operand) => {
    if (operand === undefined) return operand;
    const guarded = guard(guards, asked, operand, andFirst(taken, found, undefined));
    found.push(booleanCall("$not", booleanCall("$is_null", operand)));
    return guarded;
  });
  return { ...call, arguments: operands };
}

const booleanCall = (name: string, operand: Expr): Expr => ({
  kind: "Call",
  function: name,
  arguments: [operand],
  isSafe: false,
  type: BOOL,
  span: operand.span,
});

// biome-ignore lint/suspicious/noThenProperty: a branch of CASE is never awaited
const branch = (when: Expr, value: Expr) => ({ when, then: value });

const truth = (value: boolean, { span }: Expr): Expr => ({ kind: "Literal", value: String(value), type: BOOL, span });

/** Whether none of the conditions before holds, and the last one does; asked in their order, as the branches are. */
function andFirst(taken: Expr | undefined, before: readonly Expr[], last: Expr | undefined): Expr | undefined {
  const [any = last] = before;
  if (any === undefined) return taken;
  const [no, yes] = [truth(false, any), truth(true, any)];
  const none = taken === undefined ? [] : [booleanCall("$not", booleanCall("$is_true", taken))];
  const others = [...none, ...before].map((when) => branch(when, no));
  const branches = last === undefined ? others : [...others, branch(last, yes)];
  return { kind: "Case", branches, else: last === undefined ? yes : no, type: BOOL, span: any.span };
}

/** The sub-query's scan, without rows where it is not taken. */
function guardQuery(guards: Guards, asked: Asked, scan: Scan, taken: Expr | undefined): Scan {
  const own = guardScan(guards, scan);
  const isAsked = (at: AnyExpr) => isRandomCall(at) || at.kind === "Subquery" || at.kind === "InSubquery";
  if (taken === undefined || isLone(scan) || !someScanned(scan, canFail) || someExpression(taken, isAsked, false))
    return own;
  const id = FIRST_GUARD + guards.made;
  const column = { id, name: "taken", type: BOOL };
  const emptied = emptyUnless({ kind: "Column", column, type: BOOL, span: taken.span }, own);
  if (emptied === undefined) return own;
  guards.made++;
  asked.push({ column, expression: taken });
  return emptied;
}

type AnyExpr = Expr | AggregateCall | WindowCall;

/** A sub-query without FROM is printed as the expression that it is. */
const isLone = (scan: Scan) => scan.kind === "Project" && scan.input.kind === "SingleRow";

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
      if (scan.type === "FULL" || scan.type === "RIGHT") return undefined;
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
    case "SetOperation":
    case "Recursive":
    case "With":
      return undefined;
    default:
      return into(scan);
  }
}
