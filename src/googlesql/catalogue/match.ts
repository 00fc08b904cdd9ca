/**
 * Overload resolution: which signature of a function takes given arguments with the least coercion, in the manner of
 * ZetaSQL's signature matcher (fewest coerced columns first, then fewest coerced literals, then the order of the rows).
 */

import type { SqlType } from "../types.ts";
import { type CoercionCost, coercionCost, FREE } from "../typing/argument.ts";
import type { Place, Placed, Signature, SignatureParameter } from "./signature.ts";
import { type Bindings, bindTemplates, boundType, type CallArgument, instantiate } from "./templates.ts";

export interface Match {
  readonly signature: Signature;
  /**
   * In the order of the signature, repeated places repeated: which argument stands there; undefined for one left out.
   */
  readonly places: readonly Placed[];
  /** The types of the templates. Those that only a lambda's result determines are missing. */
  readonly bindings: Bindings;
}

/** The types of values that the call compares, as its signature's restrictions say. */
export function comparedTypes({ signature, bindings }: Match): readonly SqlType[] {
  const isCompared = (name: string) =>
    signature.parameters.some(({ restrictions }) =>
      restrictions.some((each) => each.restriction === "COMPARABLE" && each.name === name),
    );
  return bindings.filter(({ name }) => isCompared(name)).map(({ type }) => type);
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

const isUntyped = (given: CallArgument) => given.kind === "value" && given.operand.type.kind === "UNKNOWN";

/**
 * One number that orders matches by leaves, columns and literals that are coerced, and how far; infinite for none. A
 * value without a type is of the one that those beside it ask for; where none has any, all are rather INT64.
 */
function costOf(places: Match["places"], callArguments: readonly CallArgument[], bindings: Bindings): number {
  const areAllUntyped = callArguments.every(isUntyped);
  let isOfInt64 = true;
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
    if (isUntyped(value)) isOfInt64 &&= fit.distance === 0;
    else if (fit.isLenient) leaves += fit.distance;
    else if (fit.distance > 0 && fit.isLiteral) {
      literals++;
      literalDistance += fit.distance;
    } else if (fit.distance > 0) {
      columns++;
      columnDistance += fit.distance;
    }
  }
  if (leaves + columns + literals === 0) return areAllUntyped && !isOfInt64 ? 1 : 0;
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
  for (const [i, parameter] of parameters.entries()) {
    if (parameter.isRepeated) {
      if (parameters[i - 1]?.isRepeated === true) continue;
      const group = repeatedFrom(parameters, i);
      for (; next + group.length <= positional; next += group.length)
        places.push(...group.map((each, at) => ({ parameter: each, argument: next + at })));
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

/** Repeated places next to each other are repeated together: `STRING..., ANY...` takes pairs. */
function repeatedFrom(parameters: readonly SignatureParameter[], from: number): readonly SignatureParameter[] {
  const end = parameters.findIndex((parameter, i) => i > from && !parameter.isRepeated);
  return parameters.slice(from, end === -1 ? undefined : end);
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
