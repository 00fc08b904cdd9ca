import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Authenticator, RecalledIdentity } from "../../access/authenticator.ts";
import type { Identity } from "../../access/scope.ts";
import { readRequestId } from "../plugins/request-id.ts";
import { isWellFramed } from "../request/single-headers.ts";

/**
 * The identity behind a request, and the rest of what its headers decide. Connections send the same headers repeatedly:
 * they are read once.
 */
export interface RememberedCaller<Reply> {
  readonly identity: Identity;
  /** A key of the token and of the headers that decide an answer. */
  readonly key: string;
  /** The caller's own. */
  readonly requestId: string | undefined;
  /** As in `If-None-Match`. */
  readonly tags: string | undefined;
  /** The last reply of the connection. */
  last: Reply | undefined;
}

/** Caches the callers of open connections. */
export interface RememberedCallers<Reply> {
  /** Undefined for an unknown caller, and for a call whose answer depends on more than the URL and the headers. */
  find(request: IncomingMessage): RememberedCaller<Reply> | undefined;
}

interface Connection<Reply> extends RememberedCaller<Reply> {
  readonly token: RecalledIdentity;
  readonly rawHeaders: readonly string[];
  /** Where the token is among them. */
  readonly secretAt: number;
  /**
   * That value alone. It is found by a hash that differs from process to process, so that the time of a look-up reveals
   * nothing about the token that the connection sent before: a proxy's connection carries those of many.
   */
  readonly secrets: ReadonlySet<string>;
}

/** Longer headers are read each time. */
const maxHeaderCharacters = 8_000;

export function createRememberedCallers<Reply>(authenticator: Pick<Authenticator, "recall">): RememberedCallers<Reply> {
  const connections = new WeakMap<Socket, Connection<Reply>>();
  return {
    find(request) {
      const { socket, rawHeaders } = request;
      const known = connections.get(socket);
      if (known?.token.isCurrent() && sends(known, rawHeaders)) return known;
      const secret = readSecret(request);
      const token = secret === undefined ? undefined : authenticator.recall(secret);
      const key = token === undefined ? undefined : callerKey(request, token.identity);
      if (token === undefined || key === undefined) return undefined;
      const { identity } = token;
      const caller = { identity, key, requestId: readRequestId(request), tags: request.headers["if-none-match"] };
      const secretAt = findCredential(rawHeaders);
      const secrets = new Set([rawHeaders[secretAt] ?? ""]);
      const connection = { ...caller, last: undefined, token, rawHeaders, secretAt, secrets };
      if (secretAt !== -1 && charactersOf(rawHeaders) <= maxHeaderCharacters) connections.set(socket, connection);
      return connection;
    },
  };
}

/**
 * Under what a request's reply is remembered, beside its URL; undefined where more than that and the token in its
 * headers decide the answer.
 */
export function callerKey(request: IncomingMessage, { tokenId }: Identity): string | undefined {
  const { headers } = request;
  if (!isPlain(request) || readSecret(request) === undefined) return undefined;
  const redaction = headers["lf-endpoint-redact-pii"] ?? "\0";
  return `${tokenId}\n${headers.accept ?? ""}\n${headers["accept-encoding"] ?? ""}\n${redaction}`;
}

function sends<Reply>({ rawHeaders, secretAt, secrets }: Connection<Reply>, sent: readonly string[]): boolean {
  if (rawHeaders.length !== sent.length) return false;
  for (let at = 0; at < sent.length; at++) {
    if (at !== secretAt && rawHeaders[at] !== sent[at]) return false;
  }
  return secrets.has(sent[secretAt] ?? "");
}

/** The place of the only value that names a token; -1 where there are several. */
function findCredential(rawHeaders: readonly string[]): number {
  let found = -1;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase();
    if (name !== "x-api-key" && name !== "authorization") continue;
    if (found !== -1) return -1;
    found = at + 1;
  }
  return found;
}

function charactersOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}

/** True for a call whose URL and the headers of `callerKey` decide its answer. */
function isPlain(request: IncomingMessage): boolean {
  const { headers } = request;
  return (
    isWellFramed(request) &&
    headers.prefer === undefined &&
    headers["transfer-encoding"] === undefined &&
    (headers["content-length"] === undefined || headers["content-length"] === "0")
  );
}

/** The token in the headers: one in the URL would be remembered as it is. */
function readSecret({ headers }: IncomingMessage): string | undefined {
  const key = headers["x-api-key"];
  if (key !== undefined) return typeof key === "string" && key !== "" ? key : undefined;
  const { authorization } = headers;
  return authorization?.startsWith("Bearer ") ? authorization.slice("Bearer ".length) : undefined;
}
