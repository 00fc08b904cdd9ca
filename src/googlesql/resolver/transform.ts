/** Rewriting resolved trees: a function is asked about every expression from the outside in, sub-queries included. */
import type { AggregateCall, Expr, Scan, WindowCall } from "../resolved.ts";

/** Returns the replacement of an expression, or undefined to continue inside it. */
export type Replace = (expression: Expr) => Expr | undefined;

/** The expression with replacements made; unchanged parts are shared. */
export function mapExpr(expression: Expr, replace: Replace): Expr {
  const replaced = replace(expression);
  if (replaced !== undefined) return replaced;
  switch (expression.kind) {
    case "Literal":
    case "Parameter":
    case "Column":
    case "Variable":
    case "DatePart":
      return expression;
    default:
      return mapInside(expression, replace);
  }
}

type Compound = Exclude<Expr, { readonly kind: "Literal" | "Parameter" | "Column" | "Variable" | "DatePart" }>;

/** The list with replacements made; the same one where there are none. */
function mapAll<T extends Expr | undefined>(items: readonly T[], map: (inner: Expr) => Expr): readonly (Expr | T)[] {
  const mapped = items.map((item) => (item === undefined ? item : map(item)));
  return mapped.every((item, i) => item === items[i]) ? items : mapped;
}

function mapInside(expression: Compound, replace: Replace): Expr {
  const map = (inner: Expr): Expr => mapExpr(inner, replace);
  switch (expression.kind) {
    case "Field":
    case "RecordField": {
      const base = map(expression.base);
      return base === expression.base ? expression : { ...expression, base };
    }
    case "Call": {
      const args = mapAll(expression.arguments, map);
      return args === expression.arguments ? expression : { ...expression, arguments: args };
    }
    case "Case": {
      // biome-ignore lint/suspicious/noThenProperty: a branch of CASE is never awaited
      const branches = expression.branches.map((branch) => ({ when: map(branch.when), then: map(branch.then) }));
      return { ...expression, branches, else: expression.else && map(expression.else) };
    }
    case "Cast":
      return {
        ...expression,
        operand: map(expression.operand),
        format: expression.format && map(expression.format),
        timeZone: expression.timeZone && map(expression.timeZone),
      };
    case "MakeArray":
      return { ...expression, elements: expression.elements.map(map) };
    case "MakeStruct":
      return { ...expression, fields: expression.fields.map(map) };
    case "Subquery":
      return { ...expression, scan: mapScan(expression.scan, replace) };
    case "InSubquery":
      return { ...expression, operand: map(expression.operand), scan: mapScan(expression.scan, replace) };
    case "Lambda":
      return { ...expression, body: map(expression.body) };
    case "Let":
      return {
        ...expression,
        variables: expression.variables.map((variable) => ({ ...variable, expression: map(variable.expression) })),
        body: map(expression.body),
      };
  }
}

type Sorted = readonly { readonly expression: Expr; readonly isDescending: boolean; readonly nullsFirst: boolean }[];

function mapSorted(items: Sorted, replace: Replace): Sorted {
  return items.map(({ expression, isDescending, nullsFirst }) => ({
    expression: mapExpr(expression, replace),
    isDescending,
    nullsFirst,
  }));
}

function mapAggregate(call: AggregateCall, replace: Replace): AggregateCall {
  return {
    ...call,
    arguments: call.arguments.map((argument) => mapExpr(argument, replace)),
    orderBy: mapSorted(call.orderBy, replace),
    having: call.having && { kind: call.having.kind, expression: mapExpr(call.having.expression, replace) },
    filter: call.filter && mapExpr(call.filter, replace),
  };
}

export function mapWindow(call: WindowCall, replace: Replace): WindowCall {
  return {
    ...call,
    arguments: call.arguments.map((argument) => mapExpr(argument, replace)),
    partitionBy: call.partitionBy.map((item) => mapExpr(item, replace)),
    orderBy: mapSorted(call.orderBy, replace),
    having: call.having && { kind: call.having.kind, expression: mapExpr(call.having.expression, replace) },
  };
}

/**
 * The scan with replacements made in all of its expressions. Common table expressions hold no outer columns and are
 * left alone.
 */
function mapScan(scan: Scan, replace: Replace): Scan {
  const map = (expression: Expr): Expr => mapExpr(expression, replace);
  switch (scan.kind) {
    case "SingleRow":
    case "Table":
    case "Cte":
      return scan;
    case "Unnest":
      return {
        ...scan,
        input: scan.input && mapScan(scan.input, replace),
        arrays: scan.arrays.map((item) => ({ ...item, array: map(item.array) })),
        on: scan.on && map(scan.on),
      };
    case "Join":
      return {
        ...scan,
        left: mapScan(scan.left, replace),
        right: mapScan(scan.right, replace),
        on: scan.on && map(scan.on),
      };
    case "Filter":
      return { ...scan, input: mapScan(scan.input, replace), predicate: map(scan.predicate) };
    case "Project":
      return {
        ...scan,
        input: mapScan(scan.input, replace),
        computed: scan.computed.map((item) => ({ ...item, expression: map(item.expression) })),
      };
    case "Aggregate":
      return {
        ...scan,
        input: mapScan(scan.input, replace),
        groupBy: scan.groupBy.map((item) => ({ ...item, expression: map(item.expression) })),
        aggregates: scan.aggregates.map((item) => ({ ...item, call: mapAggregate(item.call, replace) })),
      };
    case "Window":
      return {
        ...scan,
        input: mapScan(scan.input, replace),
        functions: scan.functions.map((item) => ({ ...item, call: mapWindow(item.call, replace) })),
      };
    case "SetOperation":
      return { ...scan, inputs: scan.inputs.map((input) => ({ ...input, scan: mapScan(input.scan, replace) })) };
    case "Recursive":
      return {
        ...scan,
        anchor: { ...scan.anchor, scan: mapScan(scan.anchor.scan, replace) },
        step: { ...scan.step, scan: mapScan(scan.step.scan, replace) },
      };
    case "Distinct":
    case "OrderBy":
    case "Limit":
    case "Sample":
    case "With":
      return { ...scan, input: mapScan(scan.input, replace) };
  }
}
