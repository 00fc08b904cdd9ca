/** Types that the templates of a signature stand for in a call. */
import { arrayOf, type SqlType, UNKNOWN } from "../types.ts";
import { commonNumericType, commonType, isScalar, type Operand } from "../typing/argument.ts";
import { isComparable, isGroupable, isOrderable } from "../typing/same-type.ts";
import type { Place, Placed, Restriction, Signature } from "./signature.ts";

/** An argument of a call, as overload resolution needs it. */
export type CallArgument =
  | { readonly kind: "value"; readonly operand: Operand; readonly isConstant: boolean; readonly name?: string }
  | { readonly kind: "datepart"; readonly name?: string }
  | { readonly kind: "lambda"; readonly parameterCount: number; readonly name?: string };

/** Types of templates by name: hardly ever more than one. */
export type Bindings = { readonly name: string; readonly type: SqlType }[];

/** The type that the template is known to stand for. */
export function boundType(bindings: Bindings, name: string): SqlType | undefined {
  for (const binding of bindings) if (binding.name === name) return binding.type;
  return undefined;
}

/** The types of all templates that values determine; undefined where they do not go together. */
export function bindTemplates(
  signature: Signature,
  places: readonly Placed[],
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
function bindAlike(places: readonly Placed[], callArguments: readonly CallArgument[]): Bindings[number] | undefined {
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

/** Binds each template to the common type of its arguments; false if there is none. */
function bindEach(places: readonly Placed[], callArguments: readonly CallArgument[], bindings: Bindings): boolean {
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

/** The operands that determine a template's type. */
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

/** Collects an argument's contribution to the templates of its place; false if the place does not accept it. */
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
