/**
 * Everything that stands directly below a node of the resolved query. Walkers and mappers are made of this, so that
 * none knows other parts than the rest; a node that is missing here does not compile.
 */
import type { AggregateCall, ResolvedFrameBound, WindowCall } from "./call.ts";
import type { Expr } from "./expression.ts";
import type { CteDefinition, Scan } from "./scan.ts";

/** The mapping of each part. */
export interface Parts {
  expression(expression: Expr): Expr;
  /** A literal, a parameter or a cast of one: what LIMIT, a sample's size and a frame's bound have to be. */
  bound(expression: Expr): Expr;
  call<Call extends AggregateCall | WindowCall>(call: Call): Call;
  scan(scan: Scan): Scan;
  /** A definition where WITH has it. */
  definition(cte: CteDefinition): CteDefinition;
  /** A definition where a scan reads it. */
  reference(cte: CteDefinition): CteDefinition;
}

/** The node with another value at the key; itself if the value is the same. */
function put<Node extends object, Key extends keyof Node>(node: Node, key: Key, value: Node[Key]): Node {
  if (node[key] === value) return node;
  const changed = { ...node };
  changed[key] = value;
  return changed;
}

function optional<Part>(part: Part | undefined, map: (part: Part) => Part): Part | undefined {
  return part === undefined ? undefined : map(part);
}

/** The list with its items mapped; itself if none changes. */
function each<Item>(items: readonly Item[], map: (item: Item) => Item): readonly Item[] {
  let changed: Item[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const item = items[index] as Item;
    const mapped = map(item);
    if (mapped === item) continue;
    changed ??= items.slice();
    changed[index] = mapped;
  }
  return changed ?? items;
}

/** Items with an expression each. */
function keyed<Item extends { readonly expression: Expr }>(items: readonly Item[], parts: Parts): readonly Item[] {
  return each(items, (item) => put(item, "expression", parts.expression(item.expression)));
}

function scanned<Item extends { readonly scan: Scan }>(item: Item, parts: Parts): Item {
  return put(item, "scan", parts.scan(item.scan));
}

/** The expression over mapped parts; itself if none changes. */
export function mapExpressionParts(expression: Expr, parts: Parts): Expr {
  switch (expression.kind) {
    case "Literal":
    case "Parameter":
    case "Column":
    case "Variable":
    case "DatePart":
      return expression;
    case "Field":
    case "RecordField":
      return put(expression, "base", parts.expression(expression.base));
    case "Call":
      return put(
        expression,
        "arguments",
        each(expression.arguments, (argument) => optional(argument, parts.expression)),
      );
    case "Case": {
      const branches = each(expression.branches, (branch) =>
        put(put(branch, "when", parts.expression(branch.when)), "then", parts.expression(branch.then)),
      );
      return put(put(expression, "branches", branches), "else", optional(expression.else, parts.expression));
    }
    case "Cast": {
      const cast = put(expression, "operand", parts.expression(expression.operand));
      const formatted = put(cast, "format", optional(cast.format, parts.expression));
      return put(formatted, "timeZone", optional(cast.timeZone, parts.expression));
    }
    case "MakeArray":
      return put(expression, "elements", each(expression.elements, parts.expression));
    case "MakeStruct":
      return put(expression, "fields", each(expression.fields, parts.expression));
    case "Subquery":
      return scanned(expression, parts);
    case "InSubquery":
      return scanned(put(expression, "operand", parts.expression(expression.operand)), parts);
    case "Lambda":
      return put(expression, "body", parts.expression(expression.body));
    case "Let": {
      const variables = keyed(expression.variables, parts);
      return put(put(expression, "variables", variables), "body", parts.expression(expression.body));
    }
  }
}

function mapHaving(having: AggregateCall["having"], parts: Parts): AggregateCall["having"] {
  return having === undefined ? undefined : put(having, "expression", parts.expression(having.expression));
}

function mapFrameBound(bound: ResolvedFrameBound, parts: Parts): ResolvedFrameBound {
  switch (bound.kind) {
    case "UnboundedPreceding":
    case "UnboundedFollowing":
    case "CurrentRow":
      return bound;
    case "Preceding":
    case "Following":
      return put(bound, "offset", parts.bound(bound.offset));
  }
}

/** The call over mapped parts; itself if none changes. */
export function mapCallParts<Call extends AggregateCall | WindowCall>(call: Call, parts: Parts): Call;
export function mapCallParts(call: AggregateCall | WindowCall, parts: Parts): AggregateCall | WindowCall {
  switch (call.kind) {
    case "AggregateCall": {
      let mapped = put(call, "arguments", each(call.arguments, parts.expression));
      mapped = put(mapped, "having", mapHaving(call.having, parts));
      mapped = put(mapped, "orderBy", keyed(call.orderBy, parts));
      mapped = put(mapped, "limit", optional(call.limit, parts.bound));
      return put(mapped, "filter", optional(call.filter, parts.expression));
    }
    case "WindowCall": {
      const { frame } = call;
      let mapped = put(call, "arguments", each(call.arguments, parts.expression));
      mapped = put(mapped, "having", mapHaving(call.having, parts));
      mapped = put(mapped, "partitionBy", each(call.partitionBy, parts.expression));
      mapped = put(mapped, "orderBy", keyed(call.orderBy, parts));
      if (frame === undefined) return mapped;
      const bounded = put(frame, "start", mapFrameBound(frame.start, parts));
      return put(mapped, "frame", put(bounded, "end", mapFrameBound(frame.end, parts)));
    }
  }
}

/** The scan over mapped expressions, of the inputs that it has; itself if none changes. */
export function mapScanExpressions(scan: Scan, parts: Parts): Scan {
  switch (scan.kind) {
    case "SingleRow":
    case "Table":
    case "Cte":
    case "Distinct":
    case "SetOperation":
    case "OrderBy":
    case "With":
    case "Recursive":
      return scan;
    case "Unnest": {
      const arrays = each(scan.arrays, (item) => put(item, "array", parts.expression(item.array)));
      return put(put(scan, "arrays", arrays), "on", optional(scan.on, parts.expression));
    }
    case "Join":
      return put(scan, "on", optional(scan.on, parts.expression));
    case "Filter":
      return put(scan, "predicate", parts.expression(scan.predicate));
    case "Project":
      return put(scan, "computed", keyed(scan.computed, parts));
    case "Aggregate": {
      const aggregates = each(scan.aggregates, (item) => put(item, "call", parts.call(item.call)));
      return put(put(scan, "groupBy", keyed(scan.groupBy, parts)), "aggregates", aggregates);
    }
    case "Window":
      return put(
        scan,
        "functions",
        each(scan.functions, (item) => put(item, "call", parts.call(item.call))),
      );
    case "Limit":
      return put(put(scan, "count", optional(scan.count, parts.bound)), "offset", optional(scan.offset, parts.bound));
    case "Sample":
      return put(scan, "size", parts.bound(scan.size));
  }
}

/** The scan over mapped inputs and definitions, with its own expressions; itself if none changes. */
export function mapScanInputs(scan: Scan, parts: Parts): Scan {
  switch (scan.kind) {
    case "SingleRow":
    case "Table":
      return scan;
    case "Cte":
      return put(scan, "cte", parts.reference(scan.cte));
    case "Unnest":
      return put(scan, "input", optional(scan.input, parts.scan));
    case "Join":
      return put(put(scan, "left", parts.scan(scan.left)), "right", parts.scan(scan.right));
    case "SetOperation":
      return put(
        scan,
        "inputs",
        each(scan.inputs, (input) => scanned(input, parts)),
      );
    case "Recursive":
      return put(put(scan, "anchor", scanned(scan.anchor, parts)), "step", scanned(scan.step, parts));
    case "With": {
      const ctes = each(scan.ctes, parts.definition);
      return put(put(scan, "ctes", ctes), "input", parts.scan(scan.input));
    }
    case "Filter":
    case "Project":
    case "Aggregate":
    case "Window":
    case "Distinct":
    case "OrderBy":
    case "Limit":
    case "Sample":
      return put(scan, "input", parts.scan(scan.input));
  }
}
