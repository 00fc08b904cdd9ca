import type { FunctionArgument, FunctionCall } from "../../../../src/googlesql/ast.ts";
import { joinParts, printGroupBy, printLimit, printOrderBy, printWindow } from "./clause.ts";
import { BASE_LEVEL } from "./level.ts";
import { printAlias, printIdentifier, printPath } from "./name.ts";
import type { PrintRules } from "./rules.ts";

/** A call with its arguments, their clauses and OVER. */
export function printCall(rules: PrintRules, call: FunctionCall): string {
  const [receiver, ...others] = call.arguments;
  const isChained = call.isChained === true && receiver !== undefined;
  const written = isChained ? others : call.arguments;
  const head = isChained ? `(${rules.expression(receiver.value)}).${printMethod(call)}` : printName(call);
  const items = [...(call.isStar ? ["*"] : []), ...written.map((argument) => printArgument(rules, argument))];
  const { where, having, groupBy, clamped, limit, over } = call;
  const content = joinParts(
    call.isDistinct && "DISTINCT",
    items.join(", "),
    call.nullHandling && `${call.nullHandling} NULLS`,
    where && `WHERE ${rules.expression(where)}`,
    having && `HAVING ${having.kind} ${rules.expression(having.expression)}`,
    groupBy && printGroupBy(rules, groupBy),
    clamped &&
      `CLAMPED BETWEEN ${rules.expression(clamped[0], BASE_LEVEL.comparison + 1)} AND ${rules.expression(clamped[1])}`,
    call.orderBy.length > 0 && printOrderBy(rules, call.orderBy),
    limit && printLimit(rules, limit),
  );
  return joinParts(`${head}(${content})`, over && `OVER ${printWindow(rules, over)}`);
}

function printName(call: FunctionCall): string {
  return `${call.isSafe ? "SAFE." : ""}${printPath(call.name)}`;
}

/** The name of a chained call stands in parentheses where it is a path. */
function printMethod(call: FunctionCall): string {
  return call.isSafe || call.name.parts.length > 1 ? `(${printName(call)})` : printName(call);
}

export function printArgument(rules: PrintRules, argument: FunctionArgument): string {
  const name = argument.name === undefined ? "" : `${printIdentifier(argument.name)} => `;
  return `${name}${rules.expression(argument.value)}${printAlias(argument.alias)}`;
}
