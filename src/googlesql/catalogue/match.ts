/**
 * Overload resolution: which signature of a function takes given arguments with the least coercion, in the manner of
 * ZetaSQL's signature matcher (fewest coerced columns first, then fewest coerced literals, then the order of the rows).
 */

import { arrayOf, type SqlType, UNKNOWN } from "../types.ts";
import type { Operand } from "../typing/argument.ts";
import { type CoercionCost, coercionCost, commonNumericType, commonType, FREE, isScalar } from "../typing/argument.ts";
import { isComparable, isGroupable, isOrderable } from "../typing/same-type.ts";
import type { Place, Placed, Restriction, Signature, SignatureParameter } from "./signature.ts";

/** An argument of a call, as far as overload resolution needs to know it. */
export type CallArgument =
  | { readonly kind: "value"; readonly operand: Operand; readonly isConstant: boolean; readonly name?: string }
  | { readonly kind: "datepart"; readonly name?: string }
  | { readonly kind: "lambda"; readonly parameterCount: number; readonly name?: string };

export interface Match {
  readonly signature: Signature;
  /**
   * In the order of the signature, repeated places repeated: which argument stands there; undefined for one left out.
   */
  readonly places: readonly Placed[];
  /** The types of the templates. Those that only a lambda's result tells are missing. */
  readonly bindings: Bindings;
}

/** Types of templates by name: hardly ever more than one. */
export type Bindings = { readonly name: string; readonly type: SqlType }[];

function boundType(bindings: Bindings, name: string): SqlType | undefined {
  for (const binding of bindings) if (binding.name === name) return binding.type;
  return undefined;
}

/** The best match, or undefined when no signature takes the arguments. */
export function matchSignatures(
  signatures: readonly Signature[],
  callArguments: readonly CallArgument[],
): Match | undefined {
  let best: Match | undefined;
  let bestCost = Number.POSITIVE_INFINITY;
  const given = callArguments.length;
  const isNamed = callArguments.some((argument) => argument.name !== undefined);
  for (const signature of signatures) {
    if (given < signature.minArguments || given > signature.maxArguments) continue;
    const { placesOf } = signature;
    const places = placesOf === undefined || isNamed ? assign(signature.parameters, callArguments) : placesOf[given];
    const bindings = places === undefined ? undefined : bindTemplates(signature, places, callArguments);
    if (places === undefined || bindings === undefined) continue;
    const cost = costOf(places, callArguments, bindings);
    if (cost >= bestCost) continue;
    best = { signature, places, bindings };
    bestCost = cost;
    if (cost === 0) return best;
  }
  return best;
}

const MOST = 1023;

/**
 * One number that orders matches by leaves, columns and literals that are coerced, and how far; infinite for no
 * match.
 */
function costOf(places: Match["places"], callArguments: readonly CallArgument[], bindings: Bindings): number {
  let leaves = 0;
  let columns = 0;
  let columnDistance = 0;
  let literals = 0;
  let literalDistance = 0;
  for (const { parameter, argument } of places) {
    const value = argument === undefined ? undefined : callArguments[argument];
    if (value === undefined) continue;
    const fit = fitParameter(parameter, value, bindings);
    if (fit === undefined) return Number.POSITIVE_INFINITY;
    if (fit.isLenient) leaves += fit.distance;
    else if (fit.distance > 0 && fit.isLiteral) {
      literals++;
      literalDistance += fit.distance;
    } else if (fit.distance > 0) {
      columns++;
      columnDistance += fit.distance;
    }
  }
  if (leaves + columns + literals === 0) return 0;
  const parts = [leaves, columns, columnDistance, literals, literalDistance];
  return parts.reduce((sum, part) => sum * (MOST + 1) + Math.min(part, MOST), 0);
}

/** Which argument stands at which place. Named arguments follow positional ones. */
function assign(
  parameters: readonly SignatureParameter[],
  callArguments: readonly CallArgument[],
): Match["places"] | undefined {
  let positional = 0;
  while (positional < callArguments.length && callArguments[positional]?.name === undefined) positional++;
  const names = positional === callArguments.length ? NO_NAMES : namedPositions(callArguments, positional);
  if (names === undefined) return undefined;
  const places: Placed[] = [];
  let next = 0;
  let used = 0;
  for (const parameter of parameters) {
    if (parameter.isRepeated) {
      while (next < positional) places.push({ parameter, argument: next++ });
      continue;
    }
    const named = parameter.name === undefined ? undefined : names.get(parameter.name);
    if (next < positional) {
      if (named !== undefined) return undefined;
      places.push({ parameter, argument: next++ });
    } else if (named !== undefined) {
      used++;
      places.push({ parameter, argument: named });
    } else if (parameter.isOptional) places.push({ parameter, argument: undefined });
    else return undefined;
  }
  return next < positional || used < names.size ? undefined : places;
}

const NO_NAMES: ReadonlyMap<string, number> = new Map();

/** Positions of `name => value` arguments by name; undefined when one occurs twice or a positional one follows. */
function namedPositions(callArguments: readonly CallArgument[], from: number): Map<string, number> | undefined {
  const names = new Map<string, number>();
  for (let i = from; i < callArguments.length; i++) {
    const name = callArguments[i]?.name?.toLowerCase();
    if (name === undefined || names.has(name)) return undefined;
    names.set(name, i);
  }
  return names;
}

function bindTemplates(
  signature: Signature,
  places: Match["places"],
  callArguments: readonly CallArgument[],
): Bindings | undefined {
  const bindings: Bindings = [];
  if (!signature.hasTemplates) return bindings;
  const alike = bindAlike(places, callArguments);
  if (alike !== undefined) bindings.push(alike);
  else if (!bindEach(places, callArguments, bindings)) return undefined;
  for (const { parameter } of places) {
    for (const { name, restriction } of parameter.restrictions) {
      const type = boundType(bindings, name);
      if (type !== undefined && !satisfies(type, restriction)) return undefined;
    }
  }
  return bindings;
}

/** The one template of a call whose arguments all stand for it and are of one and the same type, as most are. */
function bindAlike(places: Match["places"], callArguments: readonly CallArgument[]): Bindings[number] | undefined {
  const [first] = places;
  const name = first?.parameter.template;
  const known = first?.argument === undefined ? undefined : callArguments[first.argument];
  if (name === undefined || name === "NUMBER" || known?.kind !== "value") return undefined;
  const { type } = known.operand;
  if (!isScalar(type)) return undefined;
  for (const { parameter, argument } of places) {
    const given = argument === undefined ? undefined : callArguments[argument];
    if (parameter.template !== name || given?.kind !== "value" || given.operand.type !== type) return undefined;
  }
  return { name, type };
}

/** Binds each template to the common type of what stands for it; false where there is none. */
function bindEach(places: Match["places"], callArguments: readonly CallArgument[], bindings: Bindings): boolean {
  const operands: Contributions = [];
  for (const { parameter, argument } of places) {
    const given = argument === undefined ? undefined : callArguments[argument];
    if (given?.kind !== "value") continue;
    if (parameter.template !== undefined) contributeTo(parameter.template, given.operand, operands);
    else if (!contribute(parameter.place, given.operand, operands)) return false;
  }
  for (const { name, list } of operands) {
    const type = name === "NUMBER" ? commonNumericType(list) : commonType(list);
    if (type === undefined) return false;
    bindings.push({ name, type });
  }
  return true;
}

/** The operands that tell a template's type. */
type Contributions = { readonly name: string; readonly list: Operand[] }[];

function contributeTo(name: string, operand: Operand, into: Contributions): void {
  for (const known of into) {
    if (known.name !== name) continue;
    known.list.push(operand);
    return;
  }
  into.push({ name, list: [operand] });
}

function satisfies(type: SqlType, restriction: Restriction): boolean {
  if (restriction === "ORDERABLE") return isOrderable(type);
  return restriction === "COMPARABLE" ? isComparable(type) : isGroupable(type);
}

/** What an argument says about the templates of its place; false when it cannot stand there at all. */
function contribute(place: Place, operand: Operand, into: Contributions): boolean {
  switch (place.kind) {
    case "template":
      contributeTo(place.name, operand, into);
      return true;
    case "literal":
      return contribute(place.of, operand, into);
    case "array": {
      const { type, expression } = operand;
      if (type.kind === "UNKNOWN") return contribute(place.element, { type: UNKNOWN, isLenient: false }, into);
      // A value of several shapes is the list that it is, or a list of one.
      if (type.kind === "MIXED") return contribute(place.element, { type, isLenient: true }, into);
      if (type.kind !== "ARRAY") return false;
      if (expression?.kind === "MakeArray" && expression.elements.length > 0) {
        return expression.elements.every((element) =>
          contribute(place.element, { type: element.type, expression: element, isLenient: false }, into),
        );
      }
      return contribute(place.element, { type: type.element, isLenient: operand.isLenient }, into);
    }
    case "range":
      if (operand.type.kind === "UNKNOWN") return contribute(place.element, { type: UNKNOWN, isLenient: false }, into);
      return (
        operand.type.kind === "RANGE" &&
        contribute(place.element, { type: operand.type.element, isLenient: false }, into)
      );
    case "structOf": {
      const { type } = operand;
      if (type.kind === "UNKNOWN") return true;
      if (type.kind !== "STRUCT" || type.fields.length !== place.fields.length) return false;
      return place.fields.every((field, i) =>
        contribute(field.place, { type: type.fields[i]?.type ?? UNKNOWN, isLenient: false }, into),
      );
    }
    default:
      return true;
  }
}

function fitParameter(
  parameter: SignatureParameter,
  given: CallArgument,
  bindings: Bindings,
): CoercionCost | undefined {
  const { type, template } = parameter;
  if (given.kind !== "value" || (type === undefined && template === undefined)) {
    return fitPlace(parameter.place, given, bindings);
  }
  const target = type ?? boundType(bindings, template ?? "");
  return target === undefined ? FREE : coercionCost(given.operand, target);
}

function fitPlace(place: Place, given: CallArgument, bindings: Bindings): CoercionCost | undefined {
  if (place.kind === "lambda") {
    if (given.kind !== "lambda") return undefined;
    const least = place.parameters.filter((parameter) => parameter.isOptional !== true).length;
    return given.parameterCount >= least && given.parameterCount <= place.parameters.length ? FREE : undefined;
  }
  if (place.kind === "datepart") return given.kind === "datepart" ? FREE : undefined;
  if (given.kind !== "value") return undefined;
  const { kind } = given.operand.type;
  if (place.kind === "any") return FREE;
  if (place.kind === "struct") return kind === "STRUCT" || kind === "RECORD" || kind === "UNKNOWN" ? FREE : undefined;
  if (place.kind === "literal") return given.isConstant ? fitPlace(place.of, given, bindings) : undefined;
  const target = instantiate(place, bindings);
  return target === undefined ? FREE : coercionCost(given.operand, target);
}

/**
 * The type of a place under the templates' types; undefined when it takes anything as it is, or a template is not
 * known yet.
 */
export function instantiate(place: Place, bindings: Bindings): SqlType | undefined {
  switch (place.kind) {
    case "type":
      return place.type;
    case "template":
      return boundType(bindings, place.name);
    case "literal":
      return instantiate(place.of, bindings);
    case "array": {
      const element = instantiate(place.element, bindings);
      return element === undefined ? undefined : arrayOf(element);
    }
    case "range": {
      const element = instantiate(place.element, bindings);
      return element === undefined ? undefined : { kind: "RANGE", element };
    }
    case "structOf": {
      const fields: { name?: string; type: SqlType }[] = [];
      for (const field of place.fields) {
        const type = instantiate(field.place, bindings);
        if (type === undefined) return undefined;
        fields.push(field.name === undefined ? { type } : { name: field.name, type });
      }
      return { kind: "STRUCT", fields };
    }
    default:
      return undefined;
  }
}
