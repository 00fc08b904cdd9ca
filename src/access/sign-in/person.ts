import { hashSecret } from "../secret.ts";

/** The ways in which persons sign in. */
export type SignInWay = "oidc" | "proxy";

/** Somebody who signed in, in place of a token. */
export interface Person {
  readonly name: string;
  readonly way: SignInWay;
}

const maxNameLength = 80;
const idForm = /^(oidc|proxy):([\w.@+|-]+):[0-9a-f-]+$/;

/**
 * The id of a person's calls, for the audit, in place of a token's: `oidc:ada@example.com:…`. Whoever has other rights,
 * or only looks the same, has another `mark`.
 */
export function personId({ name, way }: Person, mark: string): string {
  return `${way}:${name.replaceAll(/[^\w.@+|-]/g, "_").slice(0, maxNameLength)}:${mark}`;
}

/** A short mark that differs with any of the values. */
export function markOf(values: readonly unknown[]): string {
  return hashSecret(JSON.stringify(values)).toString("hex").slice(0, 12);
}

/**
 * The id of who calls by a token of this id: the token's own, or for a session that of its person, who is the same
 * caller in each of their sessions.
 */
export function callerId(tokenId: string): string {
  return tokenId.startsWith("oidc:") ? tokenId.replace(/-[^:]*$/, "") : tokenId;
}

/** The person behind an id; undefined for a token's. */
export function personOf(id: string): Person | undefined {
  const [, way, name] = idForm.exec(id) ?? [];
  return way === undefined || name === undefined ? undefined : { name, way: way as SignInWay };
}
