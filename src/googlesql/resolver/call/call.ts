import type { Expression, FunctionCall, IntervalExpression } from "../../ast.ts";
import type { CatalogueEntry } from "../../catalogue/index.ts";
import { comparedTypes, type Match, matchSignatures } from "../../catalogue/match.ts";
import type { CallArgument } from "../../catalogue/templates.ts";
import type { Span } from "../../diagnostic.ts";
import type { CallExpr, Expr } from "../../resolved.ts";
import { type ExprContext, resolveExpression } from "../context.ts";
import { isConstant } from "../expression/expr.ts";
import { argumentsOf } from "../expression/mixed.ts";
import { errorExpr, isErrorExpr, isUntypedNull, type Resolution } from "../resolution.ts";
import { resolveAggregate } from "./aggregate.ts";
import { failMatch, placeArguments, refuseWideStructs, resultType } from "./call-function.ts";
import { canonicalCall } from "./canonical.ts";
import { asMixed, operandOf } from "./coerce.ts";
import { collatedOperands, resolveCollate } from "./collation.ts";
import { looksLikeDatePart, resolveDatePartArgument, resolveInterval } from "./date-part.ts";
import { reportUnknownFunction } from "./unknown-function.ts";
import { resolveWindowCall } from "./window.ts";

/** Returns the fault of the arguments together that signatures cannot express; undefined if there is none. */
function faultOf(name: string, values: readonly Expr[]): string | undefined {
  if (name === "ARRAY_CONCAT" && values.some(isUntypedNull)) {
    return "The arguments of ARRAY_CONCAT must be arrays, and NULL alone is none; write CAST(NULL AS ARRAY<...>)";
  }
  if (name !== "CONCAT") return undefined;
  const typed = values.filter(({ type }) => type.kind !== "UNKNOWN");
  const isOfBytes = ({ type }: Expr) => type.kind === "BYTES";
  if (!typed.some(isOfBytes) || typed.every(isOfBytes)) return undefined;
  return "CONCAT joins BYTES with BYTES only; cast the others";
}

/** Reports arguments that match a signature and may not stand together all the same; true where it did. */
function refuseTogether(resolution: Resolution, name: string, values: readonly Expr[], span: Span): boolean {
  const fault = faultOf(name, values);
  if (fault !== undefined) resolution.report("type_mismatch", fault, span, { name });
  return fault !== undefined;
}

/** Any call: scalar, aggregate or window function. */
export function resolveCall(context: ExprContext, node: FunctionCall): Expr {
  const { resolution } = context;
  const [only] = node.name.parts;
  const isPath = only === undefined || node.name.parts.length > 1;
  const written = isPath ? node.name.parts.map((part) => part.name).join(".") : only.name;
  const name = written.toUpperCase();
  const entry = resolution.catalogue.find(name);
  if (entry === undefined || name.startsWith("$") || entry.definition.refused !== undefined) {
    for (const argument of node.arguments) resolveQuietly(context, argument.value);
    reportUnknownFunction(resolution, node.name);
    return errorExpr(node.name.span);
  }
  const { definition } = entry;
  if (definition.kind === "aggregate") {
    return node.over === undefined
      ? resolveAggregate(context, node, entry, resolveArguments)
      : resolveWindowCall(context, node, entry, node.over, resolveArguments);
  }
  if (definition.kind === "window") {
    if (node.over !== undefined) return resolveWindowCall(context, node, entry, node.over, resolveArguments);
    return resolution.fail("invalid_query", `Window function ${definition.name} requires an OVER clause`, node.span, {
      name: written,
    });
  }
  const misused = modifierOf(node);
  if (misused !== undefined)
    return resolution.fail(
      "invalid_query",
      `${misused} is not allowed for the scalar function ${definition.name}`,
      node.span,
      { name: written },
    );
  const call = resolveArguments(context, node, entry);
  if (call === undefined) return errorExpr(node.span);
  if (definition.volatility === "row") resolution.randomCalls++;
  const resolved: CallExpr = {
    kind: "Call",
    function: definition.name,
    arguments: call.arguments,
    type: resultType(call.match),
    isSafe: node.isSafe,
    span: node.span,
  };
  return definition.name === "COLLATE" ? resolveCollate(resolution, resolved) : canonicalCall(resolved);
}

function modifierOf(node: FunctionCall): string | undefined {
  if (node.over !== undefined) return "OVER";
  if (node.isStar) return "*";
  if (node.isDistinct) return "DISTINCT";
  if (node.orderBy.length > 0) return "ORDER BY";
  if (node.limit !== undefined) return "LIMIT";
  if (node.nullHandling !== undefined) return `${node.nullHandling} NULLS`;
  if (node.having !== undefined) return "HAVING";
  if (node.where !== undefined) return "WHERE";
  return undefined;
}

/**
 * Arguments of an unknown function are looked at for problems of their own, but words that may be date parts are not.
 */
function resolveQuietly(context: ExprContext, node: Expression): void {
  if (node.kind !== "Identifier" && node.kind !== "Lambda") resolveExpression(context, node);
}

export interface ResolvedArguments {
  readonly arguments: readonly (Expr | undefined)[];
  readonly match: Match;
}

/** Resolves a call's arguments and picks the signature; undefined when something was reported. */
function resolveArguments(
  context: ExprContext,
  node: FunctionCall,
  entry: CatalogueEntry,
): ResolvedArguments | undefined {
  const { resolution } = context;
  const name = entry.definition.name;
  const isDatePart = (value: Expression, i: number) => entry.datePartPositions.has(i) && looksLikeDatePart(value);
  const written = node.arguments.map(({ value, alias, span }, i): Expr | undefined => {
    if (alias !== undefined) resolution.report("invalid_query", `${name} does not take an alias for an argument`, span);
    // None of the functions that a query may call takes one.
    if (value.kind === "Lambda") return undefined;
    if (isDatePart(value, i)) return resolveDatePartArgument(resolution, value, name);
    if (value.kind === "Interval" && (node.isSafe || isLarge(value))) return resolveInterval(context, value, true);
    return resolveExpression(context, value);
  });
  const values = argumentsOf(resolution, name, written, written[0]);
  const given = node.arguments.map(({ value: node, name: label }, i): CallArgument => {
    const value = values[i];
    const named = label === undefined ? {} : { name: label.name };
    if (node.kind === "Lambda") return { kind: "lambda", parameterCount: node.parameters.length, ...named };
    if (value === undefined || isDatePart(node, i)) return { kind: "datepart", ...named };
    return { kind: "value", operand: operandOf(resolution, value), isConstant: isConstant(value), ...named };
  });
  if (values.some((value) => value !== undefined && isErrorExpr(value))) return undefined;
  if (resolution.hasCollation) {
    const known = values.filter((value) => value !== undefined);
    if (collatedOperands(resolution, name, known, node.span) === undefined) return undefined;
  }
  const match = matchSignatures(entry.signatures, given) ?? matchMixed(resolution, entry, given, values);
  if (match === undefined) {
    failMatch(resolution, entry, name, given, node.span);
    return undefined;
  }
  if (isNullGiven(context, node, name, match, values)) return undefined;
  const known = values.filter((value) => value !== undefined);
  if (refuseTogether(resolution, name, known, node.span)) return undefined;
  if (refuseWideStructs(resolution, comparedTypes(match), node.span)) return undefined;
  return { arguments: placeArguments(resolution, match, values), match };
}

/** Reports a NULL where only a literal or parameter may stand. */
function isNullGiven(
  { resolution }: ExprContext,
  node: FunctionCall,
  name: string,
  match: Match,
  values: readonly (Expr | undefined)[],
): boolean {
  for (const { parameter, argument } of match.places) {
    const value = argument === undefined || parameter.place.kind !== "literal" ? undefined : values[argument];
    if (value?.kind !== "Literal" || value.value !== null) continue;
    resolution.report("invalid_query", `Argument ${(argument ?? 0) + 1} to ${name} must be non-NULL`, value.span, {
      name: node.name.parts.map((part) => part.name).join("."),
    });
    return true;
  }
  return false;
}

/** The match where fields of log records are taken for ones of several shapes; these are put among the values then. */
function matchMixed(
  resolution: Resolution,
  entry: CatalogueEntry,
  given: readonly CallArgument[],
  values: (Expr | undefined)[],
): Match | undefined {
  const fields = values.map((value) => value && asMixed(resolution, value));
  const mixed = argumentsOf(resolution, entry.definition.name, fields, values[0]);
  if (mixed.every((value) => value === undefined)) return undefined;
  const asked = given.map((argument, i): CallArgument => {
    const value = mixed[i];
    return value === undefined || argument.kind !== "value"
      ? argument
      : { ...argument, operand: operandOf(resolution, value) };
  });
  const match = matchSignatures(entry.signatures, asked);
  if (match === undefined) return undefined;
  mixed.forEach((value, i) => {
    if (value !== undefined) values[i] = value;
  });
  return match;
}

/** An interval that may be out of range: then it fails where it is computed, and not beside a NULL. */
function isLarge({ value }: IntervalExpression): boolean {
  const number = value.kind === "UnaryOperation" ? value.operand : value;
  return number.kind === "IntLiteral" && number.text.length > 5;
}

/** Resolves a call's arguments; handed to the files of aggregates and window functions. */
export type ArgumentResolver = (
  context: ExprContext,
  node: FunctionCall,
  entry: CatalogueEntry,
) => ResolvedArguments | undefined;
