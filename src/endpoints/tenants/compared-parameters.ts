import { functionFacts } from "../../googlesql/catalogue/index.ts";
import { expressionChildren, isSubquery, scanExpressions, scanInputs } from "../../googlesql/resolved/walk.ts";
import type { AnyExpr, ComputedColumn, CteDefinition, Expr, Scan } from "../../googlesql/resolved.ts";

/** A part of a value: the name of a record's field, or the place of a struct's. */
type Path = readonly (string | number)[];

/** A place to look for a value: an expression or a column, and the part of it. */
type Place = { readonly value: Expr | number; readonly path: Path };

type Compared = readonly [Expr | number, Expr | number];

/**
 * Names, in lower case, of the parameters that a query compares with a tenant's field: `=`, IN and IS NOT DISTINCT
 * FROM in any expression, but not their negations, however many tables, sub-queries and set operations the field or
 * the parameter has passed through. Functions other than those that choose among values, as COALESCE does, end the
 * trace.
 */
export function findComparedParameters(scan: Scan): ReadonlySet<string> {
  const trace = new Trace();
  const found = new Set<string>();
  for (const pair of trace.read(scan)) {
    const [left, right] = pair.map((value) => trace.originsOf(value));
    if (left === undefined || right === undefined) continue;
    if (left.isTenant) for (const name of right.parameters) found.add(name);
    if (right.isTenant) for (const name of left.parameters) found.add(name);
  }
  return found;
}

interface Origins {
  readonly isTenant: boolean;
  readonly parameters: ReadonlySet<string>;
}

/** Which values a query's columns are made of. */
class Trace {
  readonly #made = new Map<number, (Expr | number)[]>();
  /** Columns of tables that hold a tenant's field, with what leads to it in lower case. */
  readonly #tenantPaths = new Map<number, string>();

  /** Notes every column of the query; the answer are the comparisons in it. */
  read(root: Scan): readonly Compared[] {
    const compared: Compared[] = [];
    const scans: Scan[] = [root];
    for (let scan = scans.pop(); scan !== undefined; scan = scans.pop()) {
      this.#note(scan);
      scans.push(...scanInputs(scan));
      const open = scanExpressions(scan).map((expression) => ({ expression, isNegated: false }));
      for (let next = open.pop(); next !== undefined; next = open.pop()) {
        const { expression, isNegated } = next;
        if (expression.kind === "Let") this.#noteComputed(expression.variables);
        if (isSubquery(expression)) scans.push(expression.scan);
        compared.push(...comparisonsOf(expression, isNegated));
        const isNot = expression.kind === "Call" && expression.function === "$not";
        for (const child of expressionChildren(expression)) {
          open.push({ expression: child, isNegated: isNot ? !isNegated : isNegated });
        }
      }
    }
    return compared;
  }

  /** Returns the parameters and fields that the value can come from. */
  originsOf(value: Expr | number): Origins {
    const parameters = new Set<string>();
    let isTenant = false;
    const seen = new Set<string>();
    const open: Place[] = [{ value, path: [] }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { value: at, path } = next;
      if (typeof at === "number") {
        const key = `${at} ${path.join(".")}`;
        if (seen.has(key)) continue;
        seen.add(key);
        isTenant ||= this.#tenantPaths.get(at) === path.join(".").toLowerCase();
        for (const made of this.#made.get(at) ?? []) open.push({ value: made, path });
      } else if (at.kind === "Parameter") {
        parameters.add(String(at.key).toLowerCase());
      } else {
        open.push(...partsOf(at, path));
      }
    }
    return { isTenant, parameters };
  }

  #note(node: Scan): void {
    switch (node.kind) {
      case "Table": {
        const { tenantField } = node.table;
        for (const { source, column } of tenantField === undefined ? [] : node.columns) {
          const path = `${source}.`.toLowerCase();
          const wanted = `${tenantField?.toLowerCase()}.`;
          if (wanted.startsWith(path)) this.#tenantPaths.set(column.id, wanted.slice(path.length, -1));
        }
        return;
      }
      case "Project":
        this.#noteComputed(node.computed);
        return;
      case "Aggregate":
        this.#noteComputed(node.groupBy);
        for (const { column, call } of node.aggregates) this.#add(column.id, call.arguments[0]);
        return;
      case "Window":
        for (const { column, call } of node.functions) this.#add(column.id, call.arguments[0]);
        return;
      case "Distinct":
        for (const { column, input } of node.columns) this.#add(column.id, input.id);
        return;
      case "SetOperation":
        for (const input of node.inputs) this.#addAll(node.columns, input.columns);
        return;
      case "Recursive":
        for (const input of [node.anchor, node.step]) this.#addAll(node.columns, input.columns);
        return;
      case "Cte":
        this.#addAll(node.columns, node.cte.output);
        return;
      case "Unnest":
        for (const { element, array } of node.arrays) this.#add(element.id, array);
    }
  }

  #noteComputed(computed: readonly ComputedColumn[]): void {
    for (const { column, expression } of computed) this.#add(column.id, expression);
  }

  #add(column: number, made: Expr | number | undefined): void {
    if (made !== undefined) this.#made.set(column, [...(this.#made.get(column) ?? []), made]);
  }

  #addAll(columns: CteDefinition["output"], inputs: CteDefinition["output"]): void {
    for (const [index, { id }] of columns.entries()) this.#add(id, inputs[index]?.id);
  }
}

/** The expressions and columns, one of which an expression's value is. */
function partsOf(expression: Expr, path: Path): readonly Place[] {
  const all = (values: readonly (Expr | undefined)[]): readonly Place[] =>
    values.flatMap((value) => (value === undefined ? [] : { value, path }));
  switch (expression.kind) {
    case "Column":
    case "Variable":
      return [{ value: expression.column.id, path }];
    case "RecordField":
      return [{ value: expression.base, path: [...expression.path, ...path] }];
    case "Field":
      return [{ value: expression.base, path: [expression.index, ...path] }];
    case "MakeStruct": {
      const [first, ...rest] = path;
      const field = typeof first === "number" ? expression.fields[first] : undefined;
      return field === undefined ? [] : [{ value: field, path: rest }];
    }
    case "MakeArray":
      return all(expression.elements);
    case "Cast":
      return all([expression.operand]);
    case "Case":
      return all([...expression.branches.map(({ then }) => then), expression.else]);
    case "Let":
      return all([expression.body]);
    case "Call": {
      const { answers = [] } = functionFacts(expression.function);
      return all(answers === "all" ? expression.arguments : answers.map((place) => expression.arguments[place]));
    }
    case "Subquery":
      return expression.output === undefined ? [] : [{ value: expression.output.id, path }];
    default:
      return [];
  }
}

/** The pairs that a call compares for equality, or, negated, for inequality. */
function comparisonsOf(expression: AnyExpr, isNegated: boolean): readonly Compared[] {
  if (expression.kind === "InSubquery") {
    return expression.operator === "IN" && !isNegated ? pair(expression.operand, [expression.output.id]) : [];
  }
  if (expression.kind !== "Call") return [];
  const [first, ...others] = expression.arguments.flatMap((each) => each ?? []);
  const names = isNegated ? inequalities : equalities;
  return first !== undefined && names.has(expression.function) ? pair(first, others) : [];
}

const equalities: ReadonlySet<string> = new Set(["$equal", "$in", "$in_array"]);
const inequalities: ReadonlySet<string> = new Set(["$not_equal", "$is_distinct"]);

/** Structs are compared field by field. */
function pair(value: Expr, others: readonly (Expr | number)[]): readonly Compared[] {
  return others.flatMap((other): readonly Compared[] => {
    const isStructs = typeof other === "object" && other.kind === "MakeStruct" && value.kind === "MakeStruct";
    if (!isStructs) return [[value, other]];
    return value.fields.flatMap((field, index) => pair(field, other.fields.slice(index, index + 1)));
  });
}
