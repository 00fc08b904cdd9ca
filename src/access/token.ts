import type { Budget } from "../shared/budget.ts";
import type { TokenKey } from "./key-file.ts";
import type { Pins } from "./pins.ts";
import type { RedactionPolicy, Scope } from "./scope.ts";

/** The default of a token created without a redaction mode: owners may turn redaction off. */
export function defaultRedaction(scopes: readonly Scope[]): RedactionPolicy {
  return scopes.includes("private") ? "switchable" : "fixed";
}

/** A token as it is kept: without its secret. Times are milliseconds since 1970. */
export interface Token {
  readonly id: string;
  readonly hash: Buffer;
  readonly description: string;
  readonly scopes: readonly Scope[];
  readonly pins: Pins;
  /** The limits of each of its calls, in addition to those of the service and the endpoint. */
  readonly budget: Budget;
  readonly redaction: RedactionPolicy;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
  /** When its value was last replaced. */
  readonly rotatedAt?: number | undefined;
  /** The hash of the previous value, and until when it remains valid. */
  readonly previousHash?: Buffer | undefined;
  readonly previousValidUntil?: number | undefined;
  /** Signs in as the token beside its values, which may change. */
  readonly key?: TokenKey | undefined;
}

/** The properties of a token to be created. */
export interface NewToken {
  /** A random one unless set. */
  readonly id?: string;
  readonly description: string;
  readonly scopes: readonly Scope[];
  readonly pins: Pins;
  /** No limits of its own unless set. */
  readonly budget?: Budget;
  /** `defaultRedaction` of its scopes unless set. */
  readonly redaction?: RedactionPolicy;
  readonly expiresAt: number | undefined;
  /** None unless set. */
  readonly key?: TokenKey;
}

/** Where tokens are kept. */
export interface TokenStore {
  /** Makes a token; its secret is in this answer and nowhere else. */
  create(token: NewToken): Promise<{ readonly token: Token; readonly secret: string }>;
  /** All of them, or those with these ids, also expired and revoked ones, oldest first. */
  list(ids?: readonly string[]): Promise<readonly Token[]>;
  /**
   * Gives the token a new value, which is returned only here. The old one remains valid for `graceMs`. Undefined when
   * no token has the id, or it was revoked.
   */
  rotate(id: string, graceMs: number): Promise<{ readonly token: Token; readonly secret: string } | undefined>;
  /** Undefined when no token has the id; revoking twice keeps the first time. */
  revoke(id: string): Promise<Token | undefined>;
  /** Forgets tokens whose ids begin so, and that expired or were revoked before this time. */
  removeEnded(idPrefix: string, beforeMs: number): Promise<void>;
  /**
   * Permanently removes the scope `private` from tokens created with pins before the two excluded each other, and
   * returns these tokens. `list` never shows the scope for them, with or without this.
   */
  demotePinnedOwners(): Promise<readonly Token[]>;
  /** Changes whenever `list` may return something else. */
  version(): string;
  /**
   * The ids of the tokens that may have changed since a version, where that is known: reading all of them takes long if
   * there are many.
   */
  changedSince?(version: string): readonly string[] | undefined;
  /**
   * Resolves once `version` reports every change before the call. Throws `metadata_unavailable` where that cannot be
   * found out. Absent where `version` always does.
   */
  confirm?(): Promise<void>;
  /** Increases with every change through this store; reading it is free. */
  ownChanges(): number;
}
