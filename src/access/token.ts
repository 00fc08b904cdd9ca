import type { Scope } from "./scope.ts";

/** A token as it is kept: without its secret. Times are milliseconds since 1970. */
export interface Token {
  readonly id: string;
  readonly hash: Buffer;
  readonly description: string;
  readonly scopes: readonly Scope[];
  readonly pins: Readonly<Record<string, string>>;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
}

/** What a new token is made of. */
export interface NewToken {
  readonly description: string;
  readonly scopes: readonly Scope[];
  readonly pins: Readonly<Record<string, string>>;
  readonly expiresAt: number | undefined;
}

/** Where tokens are kept. */
export interface TokenStore {
  /** Makes a token; its secret is in this answer and nowhere else. */
  create(token: NewToken): Promise<{ readonly token: Token; readonly secret: string }>;
  /** All of them, also expired and revoked ones, oldest first. */
  list(): Promise<readonly Token[]>;
  /** Undefined when no token has the id; revoking twice keeps the first time. */
  revoke(id: string): Promise<Token | undefined>;
  /** Changes whenever `list` may answer something else. */
  version(): string;
}
