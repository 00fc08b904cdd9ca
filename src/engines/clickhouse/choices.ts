/**
 * Conditions that are the same for every row of a run and choose what of a query counts: `@since IS NULL OR ...`,
 * `CASE WHEN @interval = ... THEN ...`. With their values the query is shorter, and the server reads and computes less.
 */

import { functionFacts } from "../../googlesql/catalogue/index.ts";
import { createMapping, type Mapping } from "../../googlesql/resolved/map.ts";
import type { CallExpr, CaseExpr, Expr, ResolvedQuery, Scan } from "../../googlesql/resolved.ts";
import { truth } from "../../googlesql/resolver/expression/expr.ts";
import type { ParameterValue } from "../contract/query-engine.ts";
import { type RunConstantFinder, readsRun } from "../lowering/run-constants.ts";

/** With more choices the query stays undecided: each call would have a form of its own. */
const MAX_CHOICES = 64;
/** Scans of a query that is looked through; chains of them are walked by recursion here. */
const MAX_SCANS = 1_000;

/** The conditions, each in the place where it decides; none if there are too many. */
export function findChoices({ scan: root }: ResolvedQuery, constants: RunConstantFinder): readonly Expr[] {
  const found = new Set<Expr>();
  let scanCount = 0;
  const isConstant = (expression: Expr) => expression.kind !== "Literal" && constants.has(expression);
  const note = (condition: Expr | undefined) => {
    if (condition !== undefined && isConstant(condition) && readsRun(condition)) found.add(condition);
  };
  const mapping = createMapping({
    scan(scan) {
      if (scan.kind === "Filter") note(scan.predicate);
      return ++scanCount > MAX_SCANS ? scan : undefined;
    },
    expression(expression) {
      if (isConstant(expression)) return expression;
      for (const condition of conditionsOf(expression)) note(condition);
      return undefined;
    },
  });
  mapping.scan(root);
  return scanCount > MAX_SCANS || found.size > MAX_CHOICES ? [] : [...found];
}

/** The conditions of an expression that decide which of its other parts count. */
function conditionsOf(expression: Expr): readonly (Expr | undefined)[] {
  if (expression.kind === "Case") return expression.branches.map(({ when }) => when);
  if (expression.kind !== "Call" || expression.isSafe) return [];
  const { function: name, arguments: operands } = expression;
  switch (functionFacts(name).laziness) {
    case "choice":
      return operands.slice(0, 1);
    case "conjunction":
    case "disjunction":
      return operands;
    default:
      return [];
  }
}

/** The query with the values of its choices; choices without a value stay unchanged. */
export function applyChoices(query: ResolvedQuery, values: ReadonlyMap<Expr, ParameterValue>): ResolvedQuery {
  const mapping: Mapping = createMapping({
    scan: (scan) => (scan.kind === "Filter" ? chooseRows(scan, values, mapping) : undefined),
    expression(expression) {
      if (expression.kind === "Case") return chooseBranch(expression, values, mapping);
      if (expression.kind !== "Call" || expression.isSafe) return undefined;
      switch (functionFacts(expression.function).laziness) {
        case "choice":
          return chooseOperand(expression, values, mapping);
        case "conjunction":
          return joinConditions(expression, ["true", "false"], values, mapping);
        case "disjunction":
          return joinConditions(expression, ["false", "true"], values, mapping);
        default:
          return undefined;
      }
    },
  });
  return { ...query, scan: mapping.scan(query.scan) };
}

type Values = ReadonlyMap<Expr, ParameterValue>;

function simplifyCondition(condition: Expr, values: Values, mapping: Mapping): Expr {
  const value = values.get(condition);
  if (value === undefined) return mapping.expression(condition);
  return truth(typeof value === "boolean" ? value : null, condition.span);
}

function chooseRows(scan: Scan & { kind: "Filter" }, values: Values, mapping: Mapping): Scan {
  const predicate = simplifyCondition(scan.predicate, values, mapping);
  const input = mapping.scan(scan.input);
  return predicate.kind === "Literal" && predicate.value === "true" ? input : { ...scan, predicate, input };
}

function chooseBranch(expression: CaseExpr, values: Values, mapping: Mapping): Expr | undefined {
  if (!expression.branches.some(({ when }) => values.has(when))) return undefined;
  const left = expression.branches.filter(({ when }) => !values.has(when) || values.get(when) === true);
  const taken = left.findIndex(({ when }) => values.has(when));
  const branches = taken === -1 ? left : left.slice(0, taken);
  const rest = taken === -1 ? expression.else : left[taken]?.then;
  if (branches.length > 0) return mapping.expression({ ...expression, branches, else: rest });
  const { type, span } = expression;
  return rest === undefined ? { kind: "Literal", type, value: null, span } : mapping.expression(rest);
}

function chooseOperand(call: CallExpr, values: Values, mapping: Mapping): Expr | undefined {
  const [condition, ...operands] = call.arguments;
  const value = condition === undefined ? undefined : values.get(condition);
  const taken = value === undefined ? undefined : operands[value === true ? 0 : 1];
  return taken === undefined ? undefined : mapping.expression(taken);
}

/** AND and OR without the operands that change nothing, and without those behind one that decides. */
function joinConditions(
  call: CallExpr,
  [neutral, decisive]: readonly [neutral: string, decisive: string],
  values: Values,
  mapping: Mapping,
): Expr | undefined {
  const kept: Expr[] = [];
  for (const operand of call.arguments) {
    if (operand === undefined) return undefined;
    const simplified = simplifyCondition(operand, values, mapping);
    const value = simplified.kind === "Literal" ? simplified.value : undefined;
    if (value !== neutral) kept.push(simplified);
    if (value === decisive) break;
  }
  const [first] = kept;
  if (first === undefined) return truth(neutral === "true", call.span);
  return kept.length === 1 ? first : { ...call, arguments: kept };
}
