import type { Span } from "../../diagnostic.ts";
import type { CteDefinition, Expr, Scan } from "../../resolved.ts";
import { INT64 } from "../../types.ts";
import type { CteBinding } from "../context.ts";
import type { Resolution } from "../resolution.ts";

const NOWHERE: Span = { start: 0, end: 0 };
/** More rows than there are. */
const ALL_ROWS = "9223372036854775807";
const COMPARISONS = new Set(["$equal", "$less", "$less_or_equal", "$greater", "$greater_or_equal"]);

/**
 * The common table expression as a consumer reads it, with a limit of all rows around it unless what it leaves out is
 * left out while the table is read. An optimizer may otherwise compute a consumer's expression, which may fail,
 * before the saved query's conditions have taken rows away: the error would then report rows that the consumer must
 * not see. No condition moves below a limit.
 */
export function guardBinding(resolution: Resolution, binding: CteBinding): CteBinding {
  const { definition } = binding;
  if (definition === undefined || filtersAtTable(definition.scan)) return binding;
  const columns = definition.output.map((column) => resolution.copyColumn(column));
  const guarded: CteDefinition = {
    id: resolution.ids.nextCte++,
    name: definition.name,
    scan: {
      kind: "Limit",
      input: { kind: "Cte", cte: definition, columns },
      count: { kind: "Literal", type: INT64, value: ALL_ROWS, span: NOWHERE },
    },
    output: columns,
    isRecursive: false,
  };
  const copies = new Map(definition.output.map((column, index) => [column.id, columns[index]]));
  const find = <T extends { readonly column: CteDefinition["output"][number] }>(item: T): T => {
    return { ...item, column: copies.get(item.column.id) ?? item.column };
  };
  return {
    ...binding,
    definition: guarded,
    columns: binding.columns.map(find),
    order: binding.order?.map(find),
  };
}

/**
 * True where rows, also through other expressions, go by comparisons of a table's fields with parameters only: every
 * engine makes them first, and they cannot fail.
 */
function filtersAtTable(scan: Scan): boolean {
  let at = scan;
  let isFiltered = false;
  for (;;) {
    switch (at.kind) {
      case "Table":
        return true;
      case "OrderBy":
        at = at.input;
        break;
      case "Cte":
        if (at.cte.isRecursive) return false;
        at = at.cte.scan;
        break;
      case "Project":
        // A condition on what is computed here is a condition on anything.
        if (isFiltered && at.computed.some(({ expression }) => !isField(expression))) return false;
        at = at.input;
        break;
      case "Filter":
        if (!isPlain(at.predicate)) return false;
        isFiltered = true;
        at = at.input;
        break;
      case "Unnest":
        // An element of a record that was one object is a path, not a join.
        if (at.input === undefined || at.on !== undefined || at.arrays.some(({ array }) => !isField(array)))
          return false;
        at = at.input;
        break;
      default:
        return false;
    }
  }
}

/**
 * Comparisons joined by AND; each may stand beside `@parameter IS NULL OR`, of which nothing is left once the value
 * is known.
 */
function isPlain(expression: Expr): boolean {
  if (expression.kind !== "Call") return false;
  const { function: name } = expression;
  const operands = expression.arguments.flatMap((operand) => operand ?? []);
  if (name === "$and") return operands.every(isPlain);
  if (name === "$or") {
    const others = operands.filter((operand) => !isMissing(operand));
    return others.length === 1 && others.length < operands.length && others.every(isPlain);
  }
  const [left, right] = operands;
  if (!COMPARISONS.has(name) || left === undefined || right === undefined) return false;
  return (isField(left) && isGiven(right)) || (isGiven(left) && isField(right));
}

function isMissing(expression: Expr): boolean {
  if (expression.kind !== "Call" || expression.function !== "$is_null") return false;
  return expression.arguments.every((each) => each !== undefined && isGiven(each));
}

function isGiven(expression: Expr): boolean {
  return expression.kind === "Parameter" || expression.kind === "Literal";
}

function isField(expression: Expr): boolean {
  let at = expression;
  while (at.kind === "RecordField") at = at.base;
  return at.kind === "Column";
}
