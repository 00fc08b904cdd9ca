import { limitNames } from "../../shared/budget.ts";
import { UserError } from "../../shared/user-error.ts";
import { includesPin, type Pins, toPin, valuesOf } from "../pins.ts";
import { type Identity, redactionPolicies } from "../scope.ts";
import type { NewToken } from "../token.ts";
import { readNewToken } from "../token-document.ts";

/** Statements about a person: of an id token, or of a proxy's headers. */
export type Claims = Readonly<Record<string, unknown>>;

/** The rights of persons, as the settings say. */
export interface Roles {
  /**
   * The rights of a person with these roles and claims; undefined where no role gives any. Of several roles the person
   * has all rights that one token can express, never more: see `docs/decisions/signing-in.md`.
   */
  grant(held: readonly string[], claims: Claims, nowMs: number): NewToken | undefined;
}

/** The role of everyone who signs in. */
const everyone = "*";

type RoleDocument = Readonly<Record<string, unknown>>;

/** The settings may grant everything. */
const settings: Identity = { tokenId: "", scopes: ["private"], pins: {}, budget: {}, redaction: "switchable" };

const fieldNames = ["scopes", "pins", "budget", "redaction", "expires"];

/** Reads the value of the setting `oidc_roles`. Throws a `UserError` that names the role and its problem. */
export function readRoles(text: string): Roles {
  const roles = new Map(Object.entries(parseObject(text)).map(([name, value]) => [name, readRole(name, value)]));
  if (roles.size === 0) throw new UserError("there is no role in it");
  return {
    grant(held, claims, nowMs) {
      const granted = [...roles]
        .filter(([name]) => name === everyone || held.includes(name))
        .flatMap(([, role]) => grantRole(role, claims, nowMs) ?? []);
      return granted.length === 0 ? undefined : granted.reduce(unite);
    },
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // As below.
  }
  throw new UserError(
    'must be a JSON object of roles, such as {"admins": "private", "support": {"scopes": ["query"]}}',
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readRole(name: string, value: unknown): RoleDocument {
  const role = isObject(value) ? value : { scopes: value };
  const unknown = Object.keys(role).find((field) => !fieldNames.includes(field));
  if (unknown !== undefined) fail(name, `has ${unknown}: fields are ${fieldNames.join(", ")}`);
  if (role.pins !== undefined && !isObject(role.pins)) fail(name, "pins: must be an object of parameters");
  // Whatever the claims of a person are, they are values.
  const example = { ...role, pins: fillPins(role.pins as Claims | undefined, () => ["x"]) };
  const read = readNewToken(example, settings, 0);
  if ("problems" in read) {
    const [[field, [problem]] = ["", [""]]] = Object.entries(read.problems);
    fail(name, `${field}: ${problem}`);
  }
  return role;
}

function fail(role: string, problem: string): never {
  throw new UserError(`the role ${JSON.stringify(role)}: ${problem}`);
}

function grantRole(role: RoleDocument, claims: Claims, nowMs: number): NewToken | undefined {
  const pins = fillPins(role.pins as Claims | undefined, (name) => textsOf(findClaim(claims, name)));
  if (pins === undefined) return undefined;
  const read = readNewToken({ ...role, pins }, settings, nowMs);
  return "token" in read ? read.token : undefined;
}

/** The pins of a role with a claim's values in place of `{"claim": NAME}`; undefined where the person has none. */
function fillPins(
  pins: Claims | undefined,
  valuesOfClaim: (name: string) => readonly string[],
): Readonly<Record<string, unknown>> | undefined {
  const filled = Object.entries(pins ?? {}).map(([name, pin]): [string, unknown] => {
    if (!isObject(pin) || typeof pin.claim !== "string" || Object.keys(pin).length > 1) return [name, pin];
    return [name, valuesOfClaim(pin.claim)];
  });
  if (filled.some(([, value]) => Array.isArray(value) && value.length === 0)) return undefined;
  return Object.fromEntries(filled);
}

/** A claim by its name, or by a path of names with dots between them. */
export function findClaim(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name
    .split(".")
    .reduce<unknown>((at, part) => (isObject(at) && Object.hasOwn(at, part) ? at[part] : undefined), claims);
}

/** The values of a claim: a text or a number, or those of a list. */
export function textsOf(claim: unknown): readonly string[] {
  const values = Array.isArray(claim) ? claim : [claim];
  return values.filter((value) => typeof value === "string" || typeof value === "number").map(String);
}

/** The rights of both where a token can express just these; otherwise those of the first. */
function unite(first: NewToken, next: NewToken): NewToken {
  if (covers(first, next)) return first;
  if (covers(next, first)) return next;
  const boundsOf = ({ budget, redaction, expiresAt }: NewToken) =>
    JSON.stringify([Object.entries(budget ?? {}).sort(), redaction, expiresAt]);
  if (boundsOf(first) !== boundsOf(next)) return first;
  if (coversPins(first.pins, next.pins) && coversPins(next.pins, first.pins)) {
    return { ...first, scopes: [...new Set([...first.scopes, ...next.scopes])] };
  }
  const isAlike = coversScopes(first, next) && coversScopes(next, first);
  const pins = isAlike ? unitePins(first.pins, next.pins) : undefined;
  return pins === undefined ? first : { ...first, pins };
}

/** Pins that differ in the values of one parameter; of two, the combinations would be more than either role has. */
function unitePins(first: Pins, next: Pins): Pins | undefined {
  const names = [...new Set([...Object.keys(first), ...Object.keys(next)])];
  const different = names.filter((name) => JSON.stringify(first[name]) !== JSON.stringify(next[name]));
  const [name = ""] = different;
  const [some, others] = [first[name], next[name]].map((pin) => (pin === undefined ? undefined : valuesOf(pin)));
  if (different.length !== 1 || some === undefined || others === undefined) return undefined;
  return { ...first, [name]: toPin([...some, ...others]) };
}

/** True where whoever has the first rights may do everything that the others permit. */
function covers(first: NewToken, other: NewToken): boolean {
  const rankOf = ({ redaction }: NewToken) => redactionPolicies.indexOf(redaction ?? "required");
  const isWithin = limitNames.every((name) => {
    const limit = first.budget?.[name];
    return limit === undefined || (other.budget?.[name] ?? Number.POSITIVE_INFINITY) <= limit;
  });
  const endsOf = ({ expiresAt = Number.POSITIVE_INFINITY }: NewToken) => expiresAt;
  if (!isWithin || rankOf(first) < rankOf(other) || endsOf(first) < endsOf(other)) return false;
  return coversScopes(first, other) && coversPins(first.pins, other.pins);
}

function coversScopes({ scopes }: NewToken, other: NewToken): boolean {
  const includes = (scope: string) => scopes.includes(scope) || scopes.includes(scope.split(":")[0] ?? "");
  return scopes.includes("private") || other.scopes.every(includes);
}

function coversPins(first: Pins, other: Pins): boolean {
  return Object.entries(first).every(
    ([name, pin]) => Object.hasOwn(other, name) && includesPin(pin, other[name] ?? ""),
  );
}
