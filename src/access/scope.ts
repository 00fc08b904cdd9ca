import type { Budget } from "../shared/budget.ts";
import type { Pins } from "./pins.ts";

/** A permission of a token. `private` permits everything. */
export type Scope = string;

/** The forms of a scope, for messages and documentation. */
export const scopeForms = [
  "private",
  "query",
  "query:endpoint:<id or name>",
  "ingest",
  "ingest:source:<name>",
  "metrics",
] as const;

const pattern = /^(private|query|ingest|metrics|query:endpoint:[^\s:]+|ingest:source:[^\s:]+)$/;

/** True for a scope of one of `scopeForms`. */
export function isScope(text: string): text is Scope {
  return pattern.test(text);
}

/**
 * The effective scopes of a token: pins restrict rows, but an owner can read and change data that no parameter
 * restricts, so a token with pins never has the scope `private`. Such tokens can no longer be created; existing ones
 * lose `private`.
 */
export function effectiveScopes(scopes: readonly Scope[], pins: Pins): readonly Scope[] {
  return isPinnedOwner(scopes, pins) ? scopes.filter((scope) => scope !== "private") : scopes;
}

/** True for the combination that no token may have: pins, and the scope `private`. */
export function isPinnedOwner(scopes: readonly Scope[], pins: Pins): boolean {
  return scopes.includes("private") && Object.keys(pins).length > 0;
}

/** How far a token controls the redaction of its answers. */
export const redactionPolicies = [
  /** Answers are redacted, whatever the endpoint and the header say. */
  "required",
  /** The header may turn redaction on; what the endpoint redacts stays redacted. */
  "fixed",
  /** The header may also turn off what the endpoint redacts. */
  "switchable",
] as const;

export type RedactionPolicy = (typeof redactionPolicies)[number];

/** An authenticated caller. */
export interface Identity {
  /** The token's public id, for logs. */
  readonly tokenId: string;
  readonly scopes: readonly Scope[];
  /** Parameters that the caller cannot choose, by name. */
  readonly pins: Pins;
  readonly budget: Budget;
  readonly redaction: RedactionPolicy;
  /** When it ends, in milliseconds since 1970; absent for a token without an end. */
  readonly expiresAt?: number | undefined;
}

/** True for an identity that may read and change everything, in every tenant and in the service itself. */
export function isOwner({ scopes, pins }: Identity): boolean {
  return effectiveScopes(scopes, pins).includes("private");
}

/** True when the identity may run at least one endpoint. */
export function canQueryAnything({ scopes }: Identity): boolean {
  return scopes.some((scope) => scope === "private" || scope === "query" || scope.startsWith("query:endpoint:"));
}

/** True when the identity may run this endpoint. Ids are compared without case. */
export function canQuery({ scopes }: Identity, endpoint: { readonly id: string; readonly name: string }): boolean {
  return scopes.some((scope) => {
    if (scope === "private" || scope === "query" || scope === `query:endpoint:${endpoint.name}`) return true;
    return scope.toLowerCase() === `query:endpoint:${endpoint.id.toLowerCase()}`;
  });
}

/** True when the identity may write to at least one source. */
export function canIngestAnything({ scopes }: Identity): boolean {
  return scopes.some((scope) => scope === "private" || scope === "ingest" || scope.startsWith("ingest:source:"));
}

/** True when the identity may write to the source that has these names: its own and its aliases. */
export function canIngest({ scopes }: Identity, sourceNames: readonly string[]): boolean {
  return scopes.some((scope) => {
    if (scope === "private" || scope === "ingest") return true;
    return sourceNames.some((name) => scope === `ingest:source:${name}`);
  });
}
