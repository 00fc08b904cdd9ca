import type { Expression, Parameter } from "../../ast.ts";
import type { Expr } from "../../resolved.ts";
import { UNKNOWN } from "../../types.ts";
import { resolveCall } from "../call/call.ts";
import { coerce } from "../call/coerce.ts";
import { resolveCase } from "../call/conditional.ts";
import { resolveExtract, resolveInterval } from "../call/date-part.ts";
import type { ExprContext } from "../context.ts";
import type { Resolution } from "../resolution.ts";
import { resolveQueryExpression } from "../select/subquery.ts";
import { resolveAnyElement } from "./any-element.ts";
import { resolveCast } from "./cast.ts";
import { resolveArrayConstructor, resolveStructConstructor, resolveWithExpression } from "./constructor.ts";
import { resolveLiteral, resolveTypedLiteral } from "./literal.ts";
import { resolveFieldAccess, resolveIdentifier } from "./name.ts";
import { resolveOperation } from "./operator.ts";
import { resolveSubscript } from "./subscript.ts";
import { resolveType } from "./type-syntax.ts";

/** Resolves any expression. Problems are reported, and a placeholder stands for what could not be resolved. */
export function resolveExpressionRule(context: ExprContext, node: Expression): Expr {
  context.resolution.descend(1, node.span);
  const result = resolveNode(context, node);
  context.resolution.checkType(result.type, node.span);
  context.resolution.rise(1);
  return result;
}

function resolveNode(context: ExprContext, node: Expression): Expr {
  const { resolution } = context;
  switch (node.kind) {
    case "NullLiteral":
    case "BoolLiteral":
    case "IntLiteral":
    case "FloatLiteral":
    case "StringLiteral":
    case "BytesLiteral":
    case "MaxLiteral":
      return resolveLiteral(resolution, node, 1, node.span);
    case "TypedLiteral":
      return resolveTypedLiteral(resolution, node);
    case "RangeLiteral":
      return resolveRangeLiteral(resolution, node);
    case "Parameter":
      return resolveParameter(resolution, node);
    case "SystemVariable":
      return refuseSystemVariable(resolution, node);
    case "Identifier":
      return resolveIdentifier(context, node);
    case "FieldAccess":
      return resolveFieldAccess(context, node);
    case "Subscript":
      return resolveSubscript(context, node);
    case "Cast":
      return resolveCast(context, node);
    case "FunctionCall":
      return resolveCall(context, node);
    case "Extract":
      return resolveExtract(context, node);
    case "Interval":
      return resolveInterval(context, node);
    case "Case":
      return resolveCase(context, node);
    case "QueryExpression":
      return resolveQueryExpression(context, node);
    case "ArrayConstructor":
      return resolveArrayConstructor(context, node);
    case "StructConstructor":
      return resolveStructConstructor(context, node);
    case "WithExpression":
      return resolveWithExpression(context, node);
    case "Lambda": {
      const message = "A lambda stands as an argument of a function that takes one only";
      return resolution.fail("invalid_query", message, node.span);
    }
    case "AnyElement":
      return resolveAnyElement(context, node);
    default:
      return resolveOperation(context, node);
  }
}

type Node<Kind extends Expression["kind"]> = Expression & { readonly kind: Kind };

function resolveRangeLiteral(resolution: Resolution, node: Node<"RangeLiteral">): Expr {
  const type = resolveType(resolution, node.type);
  const text: Expr = { kind: "Literal", type: { kind: "STRING" }, value: node.value, span: node.span };
  return coerce(resolution, text, type) ?? text;
}

function refuseSystemVariable(resolution: Resolution, { path, span }: Node<"SystemVariable">): Expr {
  const name = path.parts.map((part) => part.name).join(".");
  return resolution.fail("unsupported", `System variables are not supported: @@${name}`, span);
}

function resolveParameter(resolution: Resolution, node: Parameter): Expr {
  const key = node.name?.toLowerCase() ?? node.position ?? 0;
  const declared = resolution.declaredParameters.get(key);
  if (declared !== undefined) {
    resolution.usedParameters.set(key, declared);
    return { kind: "Parameter", type: declared, key, span: node.span };
  }
  if (resolution.inferParameters) {
    const known = resolution.usedParameters.get(key) ?? UNKNOWN;
    resolution.usedParameters.set(key, known);
    return { kind: "Parameter", type: known, key, span: node.span };
  }
  const written = node.name === undefined ? `number ${node.position ?? 0}` : `@${node.name}`;
  const names = [...resolution.declaredParameters.keys()].filter((known) => typeof known === "string");
  const suggestion = node.name === undefined ? undefined : resolution.suggest(node.name, names);
  return resolution.fail("unknown_parameter", `Query parameter ${written} is not declared`, node.span, {
    ...(node.name === undefined ? {} : { name: node.name }),
    suggestion: suggestion === undefined ? undefined : `@${suggestion}`,
  });
}
