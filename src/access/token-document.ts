import { Type } from "typebox";
import { type Budget, isLimitValue, type LimitName, limitDefinitions, limitNames, tightest } from "../shared/budget.ts";
import { parseIsoTimestamp } from "../shared/iso-timestamp.ts";
import { parseLifetime } from "./expiry.ts";
import { type Identity, isPinnedOwner, isScope, scopeForms } from "./scope.ts";
import { defaultRedaction, type NewToken, type RedactionPolicy, redactionPolicies, type Token } from "./token.ts";

/** The problems of a requested token, as texts by field. */
export type TokenProblems = Readonly<Record<string, readonly string[]>>;

const maxDescriptionLength = 500;
const limits = Object.fromEntries(
  limitNames.map((name) => [name, Type.Optional(Type.Integer({ ...limitDefinitions[name] }))]),
);

/** A requested token in the form of the API. Null counts as omitted. */
export const NewTokenDocument = Type.Object({
  description: Type.Optional(Type.String({ maxLength: maxDescriptionLength })),
  scopes: Type.Union([Type.Array(Type.String()), Type.String()], {
    description: "A list, or a string with spaces between",
  }),
  pins: Type.Optional(Type.Unsafe<Readonly<Record<string, unknown>>>({ type: "object", additionalProperties: {} })),
  expires: Type.Optional(Type.String({ description: "A lifetime such as 30d" })),
  expires_at: Type.Optional(Type.String()),
  budget: Type.Optional(Type.Object(limits, { additionalProperties: false })),
  redaction: Type.Optional(Type.Unsafe<RedactionPolicy>({ type: "string", enum: redactionPolicies })),
});

const fields = Object.keys(NewTokenDocument.properties);

/** From the policy with the least control over an answer's redaction to the one with the most. */
const rankOf = (policy: RedactionPolicy) => redactionPolicies.indexOf(policy);

/**
 * Reads a token document in the form of the API: `scopes` as a list or separated by spaces, `expires_at` or a lifetime
 * in `expires`. The limits of the creating token apply to the new one too; a wider limit is a problem. All problems are
 * reported together.
 */
export function readNewToken(
  input: Readonly<Record<string, unknown>>,
  maker: Identity,
  nowMs: number,
): { readonly token: NewToken } | { readonly problems: TokenProblems } {
  const problems = new Map<string, string[]>();
  const report = (field: string, message: string) => {
    problems.set(field, [...(problems.get(field) ?? []), message]);
  };
  for (const key of Object.keys(input)) {
    if (!fields.includes(key)) report(key, `there is no such field; fields are ${fields.join(", ")}`);
  }
  const scopes = readScopes(input.scopes, report);
  const pins = readPins(input.pins, report);
  if (isPinnedOwner(scopes, pins)) {
    report("scopes", pinnedOwnerMessage);
    report("pins", pinnedOwnerMessage);
  }
  const token: NewToken = {
    description: readDescription(input.description, report),
    scopes,
    pins,
    budget: readBudget(input.budget, maker, report),
    redaction: readRedaction(input.redaction, scopes, maker, report),
    expiresAt: readExpiry(input, nowMs, report),
  };
  return problems.size === 0 ? { token } : { problems: Object.fromEntries(problems) };
}

/** Why a token cannot have both, for people. */
export const pinnedOwnerMessage =
  "a pinned token cannot have the scope private, which reads and changes what no parameter narrows";

type Report = (field: string, message: string) => void;

function readDescription(value: unknown, report: Report): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "string") report("description", "must be a text");
  else if (value.length > maxDescriptionLength) {
    report("description", `must have ${maxDescriptionLength} characters at most`);
  } else return value;
  return "";
}

function readScopes(value: unknown, report: Report): readonly string[] {
  const scopes: unknown = typeof value === "string" ? value.split(/[\s,]+/).filter((part) => part !== "") : value;
  if (!Array.isArray(scopes) || scopes.length === 0) {
    report("scopes", `must be a list of one or more of ${scopeForms.join(", ")}`);
    return [];
  }
  // The reference's scope public may send events.
  const named = scopes.map((scope: unknown) => (scope === "public" ? "ingest" : scope));
  for (const scope of named) {
    if (typeof scope !== "string" || !isScope(scope)) {
      report(
        "scopes",
        `there is no scope ${JSON.stringify(scope)?.slice(0, 200)}; scopes are ${scopeForms.join(", ")}`,
      );
    }
  }
  return [...new Set(named as string[])];
}

function readPins(value: unknown, report: Report): Readonly<Record<string, string>> {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) {
    report("pins", "must be an object of parameters and their values");
    return {};
  }
  const pins = new Map<string, string>();
  for (const [name, each] of Object.entries(value)) {
    if (typeof each === "string" || typeof each === "number" || typeof each === "boolean") pins.set(name, String(each));
    else report("pins", `${name}: must be a text, a number, true or false`);
  }
  // Defined as own properties, whatever their names are.
  return Object.fromEntries(pins);
}

function readBudget(value: unknown, { budget: bound }: Identity, report: Report): Budget {
  if (value === undefined || value === null) return bound;
  if (!isObject(value)) {
    report("budget", "must be an object of limits");
    return {};
  }
  const budget: Partial<Record<LimitName, number>> = {};
  for (const [key, each] of Object.entries(value)) {
    const name = limitNames.find((known) => known === key);
    if (name === undefined) {
      report("budget", `there is no limit ${key}; limits are ${limitNames.join(", ")}`);
    } else if (typeof each !== "number" || !isLimitValue(name, each)) {
      const { minimum, maximum } = limitDefinitions[name];
      report("budget", `${name}: must be an integer from ${minimum} to ${maximum}`);
    } else if (each > (bound[name] ?? each)) {
      report("budget", `${name}: the token that makes this one is bound to ${bound[name]}`);
    } else budget[name] = each;
  }
  return tightest(budget, bound);
}

function readRedaction(
  value: unknown,
  scopes: readonly string[],
  { redaction: bound }: Identity,
  report: Report,
): RedactionPolicy {
  const usual = defaultRedaction(scopes);
  if (value === undefined || value === null) return rankOf(usual) < rankOf(bound) ? usual : bound;
  const policy = redactionPolicies.find((known) => known === value);
  if (policy === undefined) report("redaction", `must be one of ${redactionPolicies.join(", ")}`);
  else if (rankOf(policy) > rankOf(bound)) report("redaction", `the token that makes this one has ${bound} itself`);
  return policy ?? bound;
}

function readExpiry(
  { expires, expires_at: expiresAt }: Readonly<Record<string, unknown>>,
  nowMs: number,
  report: Report,
): number | undefined {
  const isGiven = (value: unknown) => value !== undefined && value !== null && value !== "";
  if (isGiven(expires) && isGiven(expiresAt))
    report("expires", "is another way to say expires_at: send one of the two");
  if (isGiven(expiresAt)) {
    const instant = typeof expiresAt === "string" ? parseIsoTimestamp(expiresAt) : undefined;
    const atMs = instant === undefined ? 0 : Number(instant.us / 1000n);
    if (instant === undefined || !(instant.hasZone || instant.isDateOnly)) {
      report("expires_at", "must be a time in ISO 8601 with a zone, or a date");
    } else if (atMs <= nowMs) report("expires_at", "lies in the past");
    return atMs;
  }
  if (!isGiven(expires)) return undefined;
  const lifetimeMs = typeof expires === "string" ? parseLifetime(expires) : undefined;
  if (lifetimeMs === undefined) report("expires", "must be a number and s, m, h, d or w, such as 30d");
  return nowMs + (lifetimeMs ?? 0);
}

/** True when a token may do something that the identity may not, given that both are owners. */
export function exceedsRights({ budget, redaction }: Token, identity: Identity): boolean {
  if (rankOf(redaction) > rankOf(identity.redaction)) return true;
  return limitNames.some((name) => {
    const bound = identity.budget[name];
    return bound !== undefined && (budget[name] === undefined || budget[name] > bound);
  });
}

/** A token as the API and the command line show it: without its value. */
export interface TokenDocument {
  readonly id: string;
  readonly description: string;
  readonly scopes: readonly string[];
  readonly pins: Readonly<Record<string, string>>;
  readonly budget: Budget;
  readonly redaction: RedactionPolicy;
  /** ISO 8601, as the other times. */
  readonly created_at: string;
  readonly rotated_at: string | null;
  /** Until when the previous value of a rotated token remains valid. */
  readonly previous_valid_until: string | null;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly status: "active" | "expired" | "revoked";
}

/** `nowMs` is the time, in milliseconds since 1970. */
export function describeToken(token: Token, nowMs: number): TokenDocument {
  const { previousValidUntil: until } = token;
  return {
    id: token.id,
    description: token.description,
    scopes: token.scopes,
    pins: token.pins,
    budget: token.budget,
    redaction: token.redaction,
    created_at: new Date(token.createdAt).toISOString(),
    rotated_at: toIso(token.rotatedAt),
    previous_valid_until: until === undefined || until <= nowMs ? null : toIso(until),
    expires_at: toIso(token.expiresAt),
    revoked_at: toIso(token.revokedAt),
    status: statusOf(token, nowMs),
  };
}

function toIso(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

function statusOf(token: Token, nowMs: number): TokenDocument["status"] {
  if (token.revokedAt !== undefined) return "revoked";
  return token.expiresAt !== undefined && token.expiresAt <= nowMs ? "expired" : "active";
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
