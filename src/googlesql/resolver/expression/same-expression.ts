/** Comparing resolved expressions: what GROUP BY names is found again in the SELECT list by what it says. */
import { functionFacts } from "../../catalogue/index.ts";
import { expressionChildren } from "../../resolved/walk.ts";
import type { AggregateCall, AnyExpr, Expr } from "../../resolved.ts";
import { isSameType } from "../../typing/same-type.ts";

const isMissing = (part: unknown): boolean => part === undefined;

/** Returns what an expression says beside the expressions below it; undefined where it says the same as no other. */
export function ownParts(at: AnyExpr): readonly unknown[] | undefined {
  switch (at.kind) {
    case "Literal":
      return [at.value];
    case "Parameter":
      return [at.key];
    case "Column":
    case "Variable":
      return [at.column.id];
    case "Field":
      return [at.index];
    case "RecordField":
      return at.path;
    case "Call":
      if (functionFacts(at.function).volatility === "row") return undefined;
      return [at.function, at.isSafe, ...at.arguments.map(isMissing)];
    case "AggregateCall": {
      const { function: name, isDistinct, isSafe, nullHandling, having, limit, filter, arguments: operands } = at;
      const keys = at.orderBy.flatMap(({ isDescending, nullsFirst }) => [isDescending, nullsFirst]);
      const clauses = [isMissing(limit), isMissing(filter), having?.kind];
      return [name, isDistinct, isSafe, nullHandling, operands.length, ...clauses, ...keys];
    }
    case "Cast":
      return [at.isSafe, isMissing(at.format), isMissing(at.timeZone)];
    case "DatePart":
      return [at.part, at.weekday];
    case "Case":
    case "MakeArray":
    case "MakeStruct":
      return [];
    default:
      return undefined;
  }
}

function isSame(a: AnyExpr, b: AnyExpr): boolean {
  if (a === b) return true;
  // One array or struct may be cast to several types, and may give its fields several names.
  if (a.kind !== b.kind || !isSameType(a.type, b.type)) return false;
  return isSameList(ownParts(a), ownParts(b)) && isSameList(expressionChildren(a), expressionChildren(b), isSame);
}

function isSameList<Part>(
  left: readonly Part[] | undefined,
  right: readonly Part[] | undefined,
  isSamePart: (a: Part, b: Part) => boolean = Object.is,
): boolean {
  if (left === undefined || right?.length !== left.length) return false;
  return left.every((part, index) => isSamePart(part, right[index] as Part));
}

/** Do two expressions say the same? Sub-queries never do, but for the very same object. */
export const isSameExpr: (a: Expr, b: Expr) => boolean = isSame;

/** Do two aggregate calls of one SELECT give the same value? */
export const isSameAggregate: (a: AggregateCall, b: AggregateCall) => boolean = isSame;

/** Does the expression surely give the same value when it is computed again? */
export function isRepeatable(expression: Expr): boolean {
  return isSameExpr({ ...expression }, expression);
}
