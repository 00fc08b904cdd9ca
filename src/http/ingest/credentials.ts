import type { FastifyRequest } from "fastify";
import type { TextParameters } from "../request/query-text.ts";

/** Schemes of Authorization whose credentials are the token itself: of OAuth, and of Splunk's senders. */
const tokenSchemes: ReadonlySet<string> = new Set(["bearer", "splunk"]);

/**
 * The token that came with events, in whatever form the sender has for it: `X-API-KEY`; `Authorization` with Bearer,
 * Splunk, ApiKey (also `id:key` in Base64) or Basic (the password, or the user name where that is empty);
 * `DD-API-KEY`; the parameters `api_key`, `dd-api-key` and `token`. The first that is there decides, even when it is
 * not valid.
 */
export function findSenderSecret(request: FastifyRequest, parameters: TextParameters): string | undefined {
  const { headers } = request;
  const path = request.params as { readonly api_key?: string } | undefined;
  const fromParameters = ["api_key", "dd-api-key", "token"].map((name) => parameters.get(name)?.at(-1));
  const candidates = [
    headers["x-api-key"]?.toString(),
    readAuthorization(headers.authorization),
    headers["dd-api-key"]?.toString(),
    ...fromParameters,
    path?.api_key,
  ];
  return candidates.find((candidate) => candidate !== undefined);
}

function readAuthorization(header: string | undefined): string | undefined {
  const [, scheme = "", credentials = ""] = /^([A-Za-z]+) +(.*)$/.exec(header ?? "") ?? [];
  const name = scheme.toLowerCase();
  if (tokenSchemes.has(name)) return credentials;
  if (name !== "basic" && name !== "apikey") return undefined;
  const [user, password] = splitPair(credentials);
  if (name === "apikey") return password ?? credentials;
  return password === undefined || password === "" ? user : password;
}

/** The two sides of `user:password` in Base64; neither for what is no such thing. */
function splitPair(base64: string): readonly [string?, string?] {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(base64)) return [];
  const text = Buffer.from(base64, "base64").toString();
  const colon = text.indexOf(":");
  return colon < 0 ? [] : [text.slice(0, colon), text.slice(colon + 1)];
}
