import type { CatalogueEntry } from "../../catalogue/index.ts";
import { comparedTypes, type Match, matchSignatures } from "../../catalogue/match.ts";
import { type CallArgument, instantiate } from "../../catalogue/templates.ts";
import type { Span } from "../../diagnostic.ts";
import { MAX_COMPARED_FIELDS } from "../../limits.ts";
import type { Expr } from "../../resolved.ts";
import { countFields, type SqlType, UNKNOWN } from "../../types.ts";
import { arrayOfValues } from "../../typing/implicit.ts";
import { call, isConstant } from "../expression/expr.ts";
import { reconcileMixed } from "../expression/mixed.ts";
import { errorExpr, isErrorExpr, type Resolution } from "../resolution.ts";
import { coerce, operandOf, typeName, withMixedFields } from "./coerce.ts";
import { collatedOperands } from "./collation.ts";

const OPERATOR_TEXTS: Readonly<Record<string, string>> = {
  $add: "+",
  $subtract: "-",
  $multiply: "*",
  $divide: "/",
  $negate: "-",
  $concat_op: "||",
  $bit_and: "&",
  $bit_or: "|",
  $bit_xor: "^",
  $bit_not: "~",
  $shift_left: "<<",
  $shift_right: ">>",
  $equal: "=",
  $not_equal: "!=",
  $less: "<",
  $less_or_equal: "<=",
  $greater: ">",
  $greater_or_equal: ">=",
  $and: "AND",
  $or: "OR",
  $not: "NOT",
  $is_true: "IS TRUE",
  $is_false: "IS FALSE",
  $is_distinct: "IS DISTINCT FROM",
  $between: "BETWEEN",
  $in: "IN",
  $in_array: "IN UNNEST",
  $like: "LIKE",
  $like_any: "LIKE ANY",
  $like_all: "LIKE ALL",
  $like_any_array: "LIKE ANY",
  $like_all_array: "LIKE ALL",
  $extract: "EXTRACT",
};

/** How messages call a function: `function SUBSTR`, `operator +`. */
function describeFunction(name: string): string {
  const operator = OPERATOR_TEXTS[name];
  return operator === undefined ? `function ${name}` : `operator ${operator}`;
}

/** Resolves an operator (or a plain function) of arguments that are resolved already. */
export function callOperator(resolution: Resolution, name: string, operands: readonly Expr[], span: Span): Expr {
  if (operands.some(isErrorExpr)) return errorExpr(span);
  if (resolution.hasCollation) {
    const collated = collatedOperands(resolution, name, operands, span);
    if (collated === undefined) return errorExpr(span);
    if (collated !== operands) return callOperator(resolution, name, collated, span);
  }
  const entry = resolution.catalogue.find(name);
  if (entry === undefined) throw new Error(`The catalogue lacks the operator ${name}.`);
  const given = operands.map(
    (operand): CallArgument => ({
      kind: "value",
      operand: operandOf(resolution, operand),
      isConstant: isConstant(operand),
    }),
  );
  const match = matchSignatures(entry.signatures, given);
  if (match === undefined) {
    const mixed = withMixedFields(resolution, operands);
    return mixed === undefined
      ? failMatch(resolution, entry, name, given, span)
      : callOperator(
          resolution,
          name,
          entry.definition.isComparison === true ? reconcileMixed(resolution, mixed) : mixed,
          span,
        );
  }
  if (refuseWideStructs(resolution, comparedTypes(match), span)) return errorExpr(span);
  const coerced = coerceArguments(resolution, match, operands);
  return call(name, coerced, resultType(match), span);
}

/** Reports structs of more fields than may be compared; true where it did. */
export function refuseWideStructs(resolution: Resolution, types: readonly SqlType[], span: Span): boolean {
  if (!types.some((type) => countFields(type) > MAX_COMPARED_FIELDS)) return false;
  resolution.report("too_complex", `Structs of more than ${MAX_COMPARED_FIELDS} fields are not compared`, span);
  return true;
}

/** Reports that no signature takes the arguments. */
export function failMatch(
  resolution: Resolution,
  entry: CatalogueEntry,
  name: string,
  given: readonly CallArgument[],
  span: Span,
): Expr {
  const types = given.map((argument) => {
    const prefix = argument.name === undefined ? "" : `${argument.name} => `;
    return (
      prefix +
      (argument.kind === "value"
        ? typeName(argument.operand.type)
        : argument.kind === "datepart"
          ? "DATE_TIME_PART"
          : "LAMBDA")
    );
  });
  const what = describeFunction(name);
  const passed =
    types.length === 0 ? "none" : types.length > 8 ? `${types.slice(0, 8).join(", ")}, ...` : types.join(", ");
  const operator = /^operator (.+)$/.exec(what)?.[1];
  const supported =
    operator === undefined
      ? `. Supported: ${entry.signatures.map((signature) => name + signature.text).join("; ")}`
      : "";
  return resolution.fail(
    "type_mismatch",
    `No matching signature for ${what} for argument types: ${passed}${supported}`,
    span,
    { name: operator ?? name },
  );
}

/** The arguments in the order of the signature, coerced; undefined for one that is left out before another. */
export function placeArguments(
  resolution: Resolution,
  match: Match,
  values: readonly (Expr | undefined)[],
): readonly (Expr | undefined)[] {
  const placed: (Expr | undefined)[] = [];
  for (const { parameter, argument } of match.places) {
    const value = argument === undefined ? undefined : values[argument];
    const target = value === undefined ? undefined : (parameter.type ?? instantiate(parameter.place, match.bindings));
    placed.push(value === undefined || target === undefined ? value : (coerce(resolution, value, target) ?? value));
  }
  while (placed.length > 0 && placed.at(-1) === undefined) placed.pop();
  return placed;
}

function coerceArguments(resolution: Resolution, match: Match, operands: readonly Expr[]): readonly Expr[] {
  return placeArguments(resolution, match, operands).filter((expression) => expression !== undefined);
}

/** Returns the result type of the call; UNKNOWN where the catalogue leaves it open. */
export function resultType(match: Match): SqlType {
  const type = instantiate(match.signature.result, match.bindings) ?? UNKNOWN;
  return type.kind === "ARRAY" ? arrayOfValues(type.element) : type;
}
