import { randomBytes } from "node:crypto";
import { ServiceError } from "../../shared/errors.ts";
import type { Identity } from "../scope.ts";
import { hashSecret } from "../secret.ts";
import type { Token, TokenStore } from "../token.ts";
import { markOf, personId, personOf } from "./person.ts";
import { type Claims, findClaim, type Roles, textsOf } from "./roles.ts";
import { withoutRole } from "./trusted-proxy.ts";

/** A session: a token that the service makes for a person, whose browser holds its value in a cookie. */
export interface StartedSession {
  readonly token: Token;
  readonly secret: string;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
}

export interface Sessions {
  /** Names a person with these claims, for the audit, before there is a session. */
  idOf(claims: Claims): string;
  /**
   * Begins a session of a person with the claims of an id token, which ends no later than that. Throws
   * `insufficient_scope` for a person without a role.
   */
  start(claims: Claims): Promise<StartedSession>;
  /** Ends the session with this value at once, on every node. */
  end(secret: string): Promise<void>;
  /**
   * Ends sessions that were begun under other settings, and returns how many: what they may do is no longer what the
   * settings say.
   */
  endOutdated(): Promise<number>;
}

export interface SessionOptions {
  readonly tokens: TokenStore;
  readonly roles: Roles;
  /** The claims with the values that are roles, such as `groups`, or `realm_access.roles`. */
  readonly roleClaims: readonly string[];
  /** For people: whom the session was begun with. */
  readonly issuerName: string;
  /** Everything in the settings that decides about sessions. */
  readonly settings: readonly unknown[];
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

const idPrefix = "oidc:";
/** The longest that browsers keep a cookie. */
const maxSessionMs = 400 * 86_400_000;

export function createSessions(options: SessionOptions): Sessions {
  const { tokens, roles, roleClaims, issuerName, now } = options;
  const mark = markOf(options.settings);

  const nameOf = ({ email, sub }: Claims) => String(email ?? sub);

  return {
    idOf: (claims) => personId({ name: nameOf(claims), way: "oidc" }, markOf([claims.iss, claims.sub])),
    async start(claims) {
      const nowMs = now();
      const name = nameOf(claims);
      const held = roleClaims.flatMap((claim) => textsOf(findClaim(claims, claim)));
      const granted = roles.grant(held, claims, nowMs);
      if (granted === undefined) throw withoutRole(name);
      const latest = Math.min(granted.expiresAt ?? Number.POSITIVE_INFINITY, nowMs + maxSessionMs);
      const endsAt = Math.min(Number(claims.exp) * 1_000, latest);
      // Also for an end that is no number.
      if (!(endsAt > nowMs)) throw new ServiceError("unauthorized", "The id token has expired");
      const { scopes, pins, budget, redaction } = granted;
      const personMark = markOf([claims.iss, claims.sub, scopes, pins, budget, redaction]);
      const { token, secret } = await tokens.create({
        ...granted,
        id: personId({ name, way: "oidc" }, `${personMark}-${mark}-${randomBytes(6).toString("hex")}`),
        description: `Session of ${showName(claims)} by ${issuerName}`.slice(0, 500),
        expiresAt: endsAt,
      });
      await tokens.removeEnded(idPrefix, nowMs);
      return { token, secret, endsAt };
    },
    async end(secret) {
      const hash = hashSecret(secret);
      await endSessions(tokens, (token) => token.hash.equals(hash));
    },
    endOutdated: () => endSessions(tokens, ({ id }) => !id.includes(`-${mark}-`)),
  };
}

/** Ends the running sessions that fit, and returns how many. */
export async function endSessions(tokens: TokenStore, isWanted: (token: Token) => boolean): Promise<number> {
  const sessions = (await tokens.list()).filter(({ id }) => isSession({ tokenId: id }));
  const ending = sessions.filter((token) => token.revokedAt === undefined && isWanted(token));
  for (const { id } of ending) await tokens.revoke(id);
  return ending.length;
}

/** True for a session's identity, as opposed to a token that somebody made. */
export function isSession({ tokenId }: Pick<Identity, "tokenId">): boolean {
  return personOf(tokenId)?.way === "oidc";
}

/** The name that a person chose, for those who see the list of tokens; the id says who it is. */
function showName({ name, preferred_username: username, sub }: Claims): string {
  return String(name ?? username ?? sub);
}
