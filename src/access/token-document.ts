import { type Static, Type } from "typebox";
import { type Budget, limitDefinitions, limitNames, tightest } from "../shared/budget.ts";
import { createDocumentForm, type FieldProblems } from "../shared/documents/document-form.ts";
import { parseIsoTimestamp } from "../values/iso-timestamp.ts";
import { parseLifetime } from "./expiry.ts";
import { maxPinValues, type Pin, type Pins, toPin } from "./pins.ts";
import { type Identity, isPinnedOwner, isScope, type RedactionPolicy, redactionPolicies, scopeForms } from "./scope.ts";
import { defaultRedaction, type NewToken, type Token } from "./token.ts";

const limits = Object.fromEntries(
  limitNames.map((name) => {
    const { minimum, maximum } = limitDefinitions[name];
    const title = `an integer from ${minimum} to ${maximum}`;
    return [name, Type.Optional(Type.Integer({ ...limitDefinitions[name], title }))];
  }),
);
type PlainValue = string | number | boolean;
type PinDocument = PlainValue | readonly PlainValue[] | { readonly prefix: string };
const plainValue = { type: ["string", "number", "boolean"] };
const prefix = { type: "string", minLength: 1 };
/** A pin as it is shown. */
export const ShownPin = Type.Unsafe<Pin>({
  anyOf: [
    { type: "string" },
    { type: "array", items: { type: "string" } },
    { type: "object", properties: { prefix }, required: ["prefix"], additionalProperties: false },
  ],
});
const lifetimeTitle = "a number and s, m, h, d or w, such as 30d";
const instantTitle = "a time in ISO 8601 with a zone, or a date";
const scopesTitle = `a list of one or more of ${scopeForms.join(", ")}`;

/** A requested token in the form of the API. Null counts as omitted. */
export const NewTokenDocument = Type.Object(
  {
    description: Type.Optional(Type.String({ maxLength: 500 })),
    scopes: Type.Union([Type.Unsafe<readonly string[]>(Type.Array(Type.String())), Type.String()], {
      title: scopesTitle,
      description: "A list, or a string with spaces between",
    }),
    pins: Type.Optional(
      Type.Unsafe<Readonly<Record<string, PinDocument>>>({
        type: "object",
        title: "an object of parameters and their values",
        additionalProperties: {
          title: `a text, a number, true or false, a list of 1 to ${maxPinValues} of them, or {"prefix": "..."}`,
          anyOf: [
            plainValue,
            { type: "array", items: plainValue, minItems: 1, maxItems: maxPinValues },
            { type: "object", properties: { prefix }, required: ["prefix"], additionalProperties: false },
          ],
        },
      }),
    ),
    expires: Type.Optional(Type.String({ title: lifetimeTitle, description: "A lifetime such as 30d" })),
    expires_at: Type.Optional(Type.String({ title: instantTitle })),
    budget: Type.Optional(Type.Object(limits, { title: "an object of limits", additionalProperties: false })),
    redaction: Type.Optional(Type.Unsafe<RedactionPolicy>({ type: "string", enum: redactionPolicies })),
  },
  { additionalProperties: false },
);

type NewTokenDocument = Readonly<Static<typeof NewTokenDocument>>;

const form = createDocumentForm(NewTokenDocument);

/** From the policy with the least control over an answer's redaction to the one with the most. */
const rankOf = (policy: RedactionPolicy) => redactionPolicies.indexOf(policy);

/**
 * Reads a token document in the form of the API: `scopes` as a list or separated by spaces, `expires_at` or a lifetime
 * in `expires`. The limits of the creating token, and its end, apply to the new one too; a wider limit or a later end
 * is a problem. All problems are reported together.
 */
export function readNewToken(
  sent: Readonly<Record<string, unknown>>,
  maker: Identity,
  nowMs: number,
): { readonly token: NewToken } | { readonly problems: FieldProblems } {
  const read = form.read(sent);
  const problems = new Map<string, readonly string[]>("problems" in read ? Object.entries(read.problems) : []);
  const document = "problems" in read ? read.fields : read.document;
  const report = (field: string, message: string) => {
    problems.set(field, [...(problems.get(field) ?? []), message]);
  };
  // Each scope of a list is reported by itself.
  if (Array.isArray(sent.scopes)) problems.delete("scopes");
  const asked: unknown = Array.isArray(sent.scopes) ? sent.scopes : document.scopes;
  const scopes = asked === undefined ? [] : readScopes(asked as string | readonly unknown[], report);
  const pins = readPins(document.pins);
  if (isPinnedOwner(scopes, pins)) {
    report("scopes", pinnedOwnerMessage);
    report("pins", pinnedOwnerMessage);
  }
  const token: NewToken = {
    description: document.description ?? "",
    scopes,
    pins,
    budget: readBudget(document.budget, maker, report),
    redaction: readRedaction(document.redaction, scopes, maker, report),
    expiresAt: boundExpiry(readExpiry(document, nowMs, report), maker, report),
  };
  return problems.size === 0 ? { token } : { problems: Object.fromEntries(problems) };
}

/** Why a token cannot have both, for people. */
export const pinnedOwnerMessage =
  "a pinned token cannot have the scope private, which reads and changes what no parameter narrows";

type Report = (field: string, message: string) => void;

function readScopes(value: string | readonly unknown[], report: Report): readonly string[] {
  const scopes = typeof value === "string" ? value.split(/[\s,]+/).filter((part) => part !== "") : value;
  if (scopes.length === 0) report("scopes", `must be ${scopesTitle}`);
  // The reference's scope public may send events.
  const named = scopes.map((scope) => (scope === "public" ? "ingest" : scope));
  for (const scope of named) {
    if (typeof scope === "string" && isScope(scope)) continue;
    const known = scopeForms.join(", ");
    report("scopes", `there is no scope ${JSON.stringify(scope)?.slice(0, 200)}; scopes are ${known}`);
  }
  return [...new Set(named as string[])];
}

function readPins(pins: NewTokenDocument["pins"] = {}): Pins {
  // Defined as own properties, whatever their names are.
  return Object.fromEntries(Object.entries(pins).map(([name, value]) => [name, readPin(value)]));
}

function readPin(value: PinDocument): Pin {
  if (typeof value !== "object") return String(value);
  return "prefix" in value ? { prefix: value.prefix } : toPin(value.map(String));
}

function readBudget(asked: NewTokenDocument["budget"] = {}, { budget: bound }: Identity, report: Report): Budget {
  for (const name of limitNames) {
    const [value, most] = [asked[name], bound[name]];
    if (value !== undefined && most !== undefined && value > most) {
      report("budget", `${name}: the token that makes this one is bound to ${most}`);
    }
  }
  return tightest(asked, bound);
}

function readRedaction(
  policy: RedactionPolicy | undefined,
  scopes: readonly string[],
  { redaction: bound }: Identity,
  report: Report,
): RedactionPolicy {
  const usual = defaultRedaction(scopes);
  if (policy === undefined) return rankOf(usual) < rankOf(bound) ? usual : bound;
  if (rankOf(policy) > rankOf(bound)) report("redaction", `the token that makes this one has ${bound} itself`);
  return policy;
}

interface ReadExpiry {
  readonly field: "expires" | "expires_at";
  /** Milliseconds since 1970; undefined where none is given. */
  readonly atMs: number | undefined;
}

function readExpiry(
  { expires = "", expires_at: expiresAt = "" }: Partial<NewTokenDocument>,
  nowMs: number,
  report: Report,
): ReadExpiry {
  if (expires !== "" && expiresAt !== "") report("expires", "is another way to say expires_at: send one of the two");
  if (expiresAt !== "") {
    const instant = parseIsoTimestamp(expiresAt);
    const atMs = instant === undefined ? 0 : Number(instant.us / 1000n);
    if (instant === undefined || !(instant.hasZone || instant.isDateOnly)) {
      report("expires_at", `must be ${instantTitle}`);
    } else if (atMs <= nowMs) report("expires_at", "lies in the past");
    return { field: "expires_at", atMs };
  }
  if (expires === "") return { field: "expires", atMs: undefined };
  const lifetimeMs = parseLifetime(expires);
  if (lifetimeMs === undefined) report("expires", `must be ${lifetimeTitle}`);
  return { field: "expires", atMs: nowMs + (lifetimeMs ?? 0) };
}

/** The end of the creating token, unless the new one ends before. */
function boundExpiry({ field, atMs }: ReadExpiry, { expiresAt: endMs }: Identity, report: Report): number | undefined {
  if (endMs !== undefined && atMs !== undefined && atMs > endMs) {
    report(field, `the token that makes this one ends at ${new Date(endMs).toISOString()}`);
  }
  return atMs ?? endMs;
}

/** True when a token may do something that the identity may not, or for longer, given that the latter is an owner's. */
export function exceedsRights({ budget, redaction, expiresAt }: Token, identity: Identity): boolean {
  if (rankOf(redaction) > rankOf(identity.redaction)) return true;
  if (identity.expiresAt !== undefined && (expiresAt ?? Number.POSITIVE_INFINITY) > identity.expiresAt) return true;
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
  readonly pins: Pins;
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
  /** Where a key file signs in as the token too. */
  readonly has_key_file?: true;
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
    ...(token.key === undefined ? {} : { has_key_file: true }),
  };
}

function toIso(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

function statusOf(token: Token, nowMs: number): TokenDocument["status"] {
  if (token.revokedAt !== undefined) return "revoked";
  return token.expiresAt !== undefined && token.expiresAt <= nowMs ? "expired" : "active";
}
