import type { ClientAuth, Configuration, CustomFetch } from "openid-client";
import { ServiceError } from "../../shared/errors.ts";
import { readAnswer } from "../../shared/network/read-answer.ts";
import type { Claims } from "./roles.ts";

/** The settings of an OpenID Connect issuer, and of this service as its client. */
export interface IssuerOptions {
  /** As the issuer's metadata and id tokens have it. */
  readonly issuer: URL;
  readonly clientId: string;
  /** Undefined for a public client, which PKCE alone protects. */
  readonly clientSecret: string | undefined;
  /** Receives why the issuer could not be used. */
  readonly onFailure: (reason: string) => void;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** The secrets of a sign-in that was begun: to be kept by the browser that began it, sealed. */
export interface SignInAttempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Where the issuer sends the browser back to. */
  readonly redirectUri: string;
}

/** An issuer that people sign in with: the code flow with PKCE (RFC 7636), state and nonce. */
export interface Issuer {
  /** For people: the issuer's host. */
  readonly name: string;
  /** Where to send the browser. Throws `issuer_unavailable`. */
  begin(redirectUri: string): Promise<{ readonly address: URL; readonly attempt: SignInAttempt }>;
  /**
   * The claims of the person who comes back with these parameters, of the id token, after every check of it and of its
   * signature, and of the userinfo endpoint; `email` only where the issuer says that it is verified. Throws `unauthorized` with the reason, and
   * `issuer_unavailable`.
   */
  finish(parameters: string, attempt: SignInAttempt): Promise<Claims>;
  /** Where a person can sign out of the issuer too; undefined where it does not say. */
  findSignOut(returnTo: string): Promise<URL | undefined>;
}

const usualScopes = ["openid", "profile", "email"];
const timeoutSeconds = 5;
/** The longest answer that is read, such as a set of keys or an id token. */
const maxAnswerBytes = 1_000_000;
/** The issuer's metadata is read again after this time, and after a failure not before that one. */
const metadataMs = 3_600_000;
const failureMs = 5_000;

type Library = typeof import("openid-client");

interface Discovered {
  readonly library: Library;
  readonly configuration: Configuration;
}

/** Nothing is asked of the issuer before the first person signs in. */
export function createIssuer(options: IssuerOptions): Issuer {
  const { issuer, onFailure, now } = options;
  let known: { readonly atMs: number; readonly isFailed: boolean; readonly reading: Promise<Discovered> } | undefined;

  const unavailable = (cause: unknown): ServiceError => {
    onFailure(`${issuer.href}: ${describeCause(cause)}`);
    return new ServiceError("issuer_unavailable", `${issuer.host} cannot be used to sign in now`, {
      retryAfterSeconds: failureMs / 1_000,
      cause,
    });
  };
  const discovered = (): Promise<Discovered> => {
    const ageMs = known === undefined ? Number.POSITIVE_INFINITY : now() - known.atMs;
    if (known !== undefined && ageMs >= 0 && ageMs < (known.isFailed ? failureMs : metadataMs)) return known.reading;
    const reading = discover(options).catch((error: unknown) => {
      known = { atMs: now(), isFailed: true, reading };
      throw unavailable(error);
    });
    known = { atMs: now(), isFailed: false, reading };
    return reading;
  };

  return {
    name: issuer.host,
    async begin(redirectUri) {
      const { library, configuration } = await discovered();
      const attempt: SignInAttempt = {
        state: library.randomState(),
        nonce: library.randomNonce(),
        verifier: library.randomPKCECodeVerifier(),
        redirectUri,
      };
      const address = library.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: chooseScopes(configuration.serverMetadata().scopes_supported),
        code_challenge: await library.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: "S256",
        state: attempt.state,
        nonce: attempt.nonce,
      });
      return { address, attempt };
    },
    async finish(parameters, attempt) {
      const known = await discovered();
      try {
        return await redeem(known, parameters, attempt);
      } catch (error) {
        if (isOutage(known.library, error)) throw unavailable(error);
        onFailure(`${issuer.href} signed nobody in: ${describeCause(error)}`);
        throw refuse(known.library, issuer.host, error);
      }
    },
    async findSignOut(returnTo) {
      const { library, configuration } = await discovered();
      if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
      return library.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo });
    },
  };
}

/** Several issuers report groups only where they are asked for, and refuse scopes that they do not have. */
function chooseScopes(supported: readonly string[] = usualScopes): string {
  return [...usualScopes, "groups"].filter((scope) => scope === "openid" || supported.includes(scope)).join(" ");
}

async function discover({ issuer, clientId, clientSecret }: IssuerOptions): Promise<Discovered> {
  const library = await import("openid-client");
  const execute = [library.enableNonRepudiationChecks];
  // The settings permit this on the machine itself only.
  if (issuer.protocol === "http:") execute.push(library.allowInsecureRequests);
  const secret = clientSecret === undefined ? library.None() : authenticateClient(library, clientSecret);
  const options = { execute, timeout: timeoutSeconds, [library.customFetch]: fetchWhole };
  const configuration = await library.discovery(issuer, clientId, undefined, secret, options);
  // Throws where the metadata name no place that a browser can be sent to.
  library.buildAuthorizationUrl(configuration, {});
  return { library, configuration };
}

/** Fetches an answer with its body, so that one that is slow or has no end is reported as one that does not come. */
const fetchWhole: CustomFetch = async (address, options) => {
  const response = await fetch(address, options as RequestInit);
  const { status, headers } = response;
  const body = await readAnswer(response, maxAnswerBytes);
  return new Response(body.length === 0 ? null : new Uint8Array(body), { status, headers });
};

/** The claims of the id token for a code, before those of the userinfo endpoint, where many issuers have groups alone. */
async function redeem(
  { library, configuration }: Discovered,
  parameters: string,
  { state, nonce, verifier, redirectUri }: SignInAttempt,
): Promise<Claims> {
  const current = new URL(redirectUri);
  current.search = parameters;
  const tokens = await library.authorizationCodeGrant(configuration, current, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const claims = verifiedOnly({ ...tokens.claims() });
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
  const info = await library.fetchUserInfo(configuration, tokens.access_token, String(claims.sub));
  return { ...verifiedOnly(info), ...claims };
}

/** By `client_secret_basic`, the standard's default, unless the issuer takes the secret in the body alone. */
function authenticateClient(library: Library, secret: string): ClientAuth {
  const [basic, post] = [library.ClientSecretBasic(secret), library.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const isPost = !methods.includes("client_secret_basic") && methods.includes("client_secret_post");
    return (isPost ? post : basic)(server, ...rest);
  };
}

/** An address that its issuer did not check may be anyone's. What one answer says is of the address in it alone. */
function verifiedOnly(claims: Claims): Claims {
  const { email: _, email_verified: __, ...others } = claims;
  return claims.email_verified === true ? claims : others;
}

/** True where the issuer did not answer, or failed to, as opposed to what it said. */
function isOutage(library: Library, error: unknown): boolean {
  if (error instanceof TypeError) return true;
  if (!(error instanceof library.ClientError)) return false;
  if (error.code === "OAUTH_TIMEOUT" || error.code === "OAUTH_ABORT") return true;
  return error.cause instanceof Response && error.cause.status >= 500;
}

function refuse(library: Library, host: string, cause: unknown): ServiceError {
  const hint = "Sign in again. If that does not help, ask who runs this service.";
  const said = findSaid(library, cause);
  if (said !== undefined)
    return new ServiceError("unauthorized", `${host} did not sign you in: ${said}`, { hint, cause });
  const code = cause instanceof library.ClientError ? cause.code : undefined;
  return new ServiceError("unauthorized", `The answer of ${host} is not accepted: ${code ?? "unknown reason"}`, {
    hint,
    cause,
  });
}

/** The code of an error that the issuer answered, such as `invalid_grant`. */
function findSaid(library: Library, cause: unknown): string | undefined {
  if (cause instanceof library.AuthorizationResponseError || cause instanceof library.ResponseBodyError)
    return cause.error;
  if (!(cause instanceof library.WWWAuthenticateChallengeError)) return undefined;
  return cause.cause[0]?.parameters.error ?? "unauthorized";
}

/** Messages of the library and of the network, which hold no secret. */
function describeCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
}
