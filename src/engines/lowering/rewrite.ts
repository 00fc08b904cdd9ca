/** Trees of a resolved query with other parts in them. */
import type {
  AggregateCall,
  CteDefinition,
  Expr,
  ResolvedFrameBound,
  Scan,
  WindowCall,
} from "../../googlesql/resolved.ts";

/** What becomes of the parts; undefined for one that is looked into. Good for one tree. */
export interface Rewriting {
  /** Definitions of CTEs by what they were: all scans of one read the same. */
  readonly definitions: Map<CteDefinition, CteDefinition>;
  expression(expression: Expr): Expr | undefined;
  scan(scan: Scan): Scan | undefined;
}

type Keyed = { readonly expression: Expr };

function each<T extends Keyed>(items: readonly T[], rewriting: Rewriting): readonly T[] {
  return items.map((item) => ({ ...item, expression: mapExpression(item.expression, rewriting) }));
}

function optional(expression: Expr | undefined, rewriting: Rewriting): Expr | undefined {
  return expression === undefined ? undefined : mapExpression(expression, rewriting);
}

export function mapExpression(expression: Expr, rewriting: Rewriting): Expr {
  const replaced = rewriting.expression(expression);
  if (replaced !== undefined) return replaced;
  const map = (inner: Expr) => mapExpression(inner, rewriting);
  switch (expression.kind) {
    case "Field":
    case "RecordField":
      return { ...expression, base: map(expression.base) };
    case "Call":
      return { ...expression, arguments: expression.arguments.map((argument) => optional(argument, rewriting)) };
    case "Case": {
      // biome-ignore lint/suspicious/noThenProperty: the tree has it
      const branches = expression.branches.map(({ when, then }) => ({ when: map(when), then: map(then) }));
      return { ...expression, branches, else: optional(expression.else, rewriting) };
    }
    case "Cast": {
      const format = optional(expression.format, rewriting);
      return {
        ...expression,
        operand: map(expression.operand),
        format,
        timeZone: optional(expression.timeZone, rewriting),
      };
    }
    case "MakeArray":
      return { ...expression, elements: expression.elements.map(map) };
    case "MakeStruct":
      return { ...expression, fields: expression.fields.map(map) };
    case "Subquery":
      return { ...expression, scan: mapScan(expression.scan, rewriting) };
    case "InSubquery":
      return { ...expression, operand: map(expression.operand), scan: mapScan(expression.scan, rewriting) };
    case "Lambda":
      return { ...expression, body: map(expression.body) };
    case "Let":
      return { ...expression, variables: each(expression.variables, rewriting), body: map(expression.body) };
    default:
      return expression;
  }
}

function mapHaving(having: AggregateCall["having"], rewriting: Rewriting): AggregateCall["having"] {
  return having === undefined ? undefined : { ...having, expression: mapExpression(having.expression, rewriting) };
}

function mapAggregate(call: AggregateCall, rewriting: Rewriting): AggregateCall {
  return {
    ...call,
    arguments: call.arguments.map((argument) => mapExpression(argument, rewriting)),
    having: mapHaving(call.having, rewriting),
    orderBy: each(call.orderBy, rewriting),
    limit: optional(call.limit, rewriting),
    filter: optional(call.filter, rewriting),
  };
}

function mapBound(bound: ResolvedFrameBound, rewriting: Rewriting): ResolvedFrameBound {
  return "offset" in bound ? { ...bound, offset: mapExpression(bound.offset, rewriting) } : bound;
}

function mapWindow(call: WindowCall, rewriting: Rewriting): WindowCall {
  const { frame } = call;
  return {
    ...call,
    arguments: call.arguments.map((argument) => mapExpression(argument, rewriting)),
    having: mapHaving(call.having, rewriting),
    partitionBy: call.partitionBy.map((key) => mapExpression(key, rewriting)),
    orderBy: each(call.orderBy, rewriting),
    frame:
      frame === undefined
        ? undefined
        : { ...frame, start: mapBound(frame.start, rewriting), end: mapBound(frame.end, rewriting) },
  };
}

function mapDefinition(cte: CteDefinition, rewriting: Rewriting): CteDefinition {
  const known = rewriting.definitions.get(cte);
  if (known !== undefined) return known;
  const mapped = { ...cte };
  rewriting.definitions.set(cte, mapped);
  // The step of a recursion reads the definition that is being made.
  (mapped as { scan: Scan }).scan = mapScan(cte.scan, rewriting);
  return mapped;
}

/** The scan with its own expressions mapped and its inputs unchanged. */
export function mapOwn(scan: Scan, rewriting: Rewriting): Scan {
  const map = (expression: Expr) => mapExpression(expression, rewriting);
  switch (scan.kind) {
    case "Unnest": {
      const arrays = scan.arrays.map((item) => ({ ...item, array: map(item.array) }));
      return { ...scan, arrays, on: optional(scan.on, rewriting) };
    }
    case "Join":
      return { ...scan, on: optional(scan.on, rewriting) };
    case "Filter":
      return { ...scan, predicate: map(scan.predicate) };
    case "Project":
      return { ...scan, computed: each(scan.computed, rewriting) };
    case "Aggregate": {
      const aggregates = scan.aggregates.map((item) => ({ ...item, call: mapAggregate(item.call, rewriting) }));
      return { ...scan, groupBy: each(scan.groupBy, rewriting), aggregates };
    }
    case "Window": {
      const functions = scan.functions.map((item) => ({ ...item, call: mapWindow(item.call, rewriting) }));
      return { ...scan, functions };
    }
    case "Limit":
      return { ...scan, count: optional(scan.count, rewriting), offset: optional(scan.offset, rewriting) };
    case "Sample":
      return { ...scan, size: map(scan.size) };
    default:
      return scan;
  }
}

export function mapScan(given: Scan, rewriting: Rewriting): Scan {
  const replaced = rewriting.scan(given);
  if (replaced !== undefined) return replaced;
  const scan = mapOwn(given, rewriting);
  const map = (inner: Scan) => mapScan(inner, rewriting);
  switch (scan.kind) {
    case "SingleRow":
    case "Table":
      return scan;
    case "Cte":
      return { ...scan, cte: mapDefinition(scan.cte, rewriting) };
    case "Unnest":
      return scan.input === undefined ? scan : { ...scan, input: map(scan.input) };
    case "Join":
      return { ...scan, left: map(scan.left), right: map(scan.right) };
    case "SetOperation":
      return { ...scan, inputs: scan.inputs.map((input) => ({ ...input, scan: map(input.scan) })) };
    case "Recursive":
      return {
        ...scan,
        anchor: { ...scan.anchor, scan: map(scan.anchor.scan) },
        step: { ...scan.step, scan: map(scan.step.scan) },
      };
    case "With":
      return { ...scan, ctes: scan.ctes.map((cte) => mapDefinition(cte, rewriting)), input: map(scan.input) };
    default:
      return { ...scan, input: map(scan.input) };
  }
}
