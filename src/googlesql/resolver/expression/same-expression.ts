/** Comparing resolved expressions: what GROUP BY names is found again in the SELECT list by what it says. */
import { functionFacts } from "../../catalogue/index.ts";
import type { AggregateCall, Expr } from "../../resolved.ts";
import { isSameType } from "../../typing/same-type.ts";

/** Do two expressions say the same? Sub-queries never do, but for the very same object. */
export function isSameExpr(a: Expr, b: Expr): boolean {
  if (a === b) return true;
  // One array or struct may be cast to several types, and may give its fields several names.
  if (a.kind !== b.kind || !isSameType(a.type, b.type)) return false;
  const all = (left: readonly (Expr | undefined)[], right: readonly (Expr | undefined)[]): boolean =>
    left.length === right.length && left.every((item, i) => isSameOptional(item, right[i]));
  switch (a.kind) {
    case "Literal":
      return b.kind === "Literal" && a.value === b.value;
    case "Parameter":
      return b.kind === "Parameter" && a.key === b.key;
    case "Column":
      return b.kind === "Column" && a.column.id === b.column.id;
    case "Variable":
      return b.kind === "Variable" && a.column.id === b.column.id;
    case "Field":
      return b.kind === "Field" && a.index === b.index && isSameExpr(a.base, b.base);
    case "RecordField":
      return (
        b.kind === "RecordField" &&
        a.path.length === b.path.length &&
        a.path.every((part, i) => part === b.path[i]) &&
        isSameExpr(a.base, b.base)
      );
    case "Call":
      if (functionFacts(a.function).volatility === "row") return false;
      return b.kind === "Call" && a.function === b.function && a.isSafe === b.isSafe && all(a.arguments, b.arguments);
    case "Case":
      return (
        b.kind === "Case" &&
        all(
          a.branches.flatMap((branch) => [branch.when, branch.then]),
          b.branches.flatMap((branch) => [branch.when, branch.then]),
        ) &&
        isSameOptional(a.else, b.else)
      );
    case "Cast":
      return (
        b.kind === "Cast" &&
        a.isSafe === b.isSafe &&
        isSameOptional(a.format, b.format) &&
        isSameOptional(a.timeZone, b.timeZone) &&
        isSameExpr(a.operand, b.operand)
      );
    case "MakeArray":
      return b.kind === "MakeArray" && all(a.elements, b.elements);
    case "MakeStruct":
      return b.kind === "MakeStruct" && all(a.fields, b.fields);
    case "DatePart":
      return b.kind === "DatePart" && a.part === b.part && a.weekday === b.weekday;
    default:
      return false;
  }
}

function isSameOptional(a: Expr | undefined, b: Expr | undefined): boolean {
  return a === undefined || b === undefined ? a === b : isSameExpr(a, b);
}

/** Do two aggregate calls of one SELECT give the same value? */
export function isSameAggregate(a: AggregateCall, b: AggregateCall): boolean {
  return (
    a.function === b.function &&
    a.isDistinct === b.isDistinct &&
    a.isSafe === b.isSafe &&
    a.nullHandling === b.nullHandling &&
    a.having?.kind === b.having?.kind &&
    isSameOptional(a.having?.expression, b.having?.expression) &&
    isSameOptional(a.limit, b.limit) &&
    isSameOptional(a.filter, b.filter) &&
    a.arguments.length === b.arguments.length &&
    a.arguments.every((argument, i) => isSameOptional(argument, b.arguments[i])) &&
    a.orderBy.length === b.orderBy.length &&
    a.orderBy.every((item, i) => {
      const other = b.orderBy[i];
      return (
        other?.isDescending === item.isDescending &&
        other.nullsFirst === item.nullsFirst &&
        isSameExpr(item.expression, other.expression)
      );
    })
  );
}

/** Does the expression surely give the same value when it is computed again? */
export function isRepeatable(expression: Expr): boolean {
  return isSameExpr({ ...expression }, expression);
}
