import { isIP } from "node:net";
import { ServiceError } from "../../shared/errors.ts";
import { isIn, listNetworks, splitList } from "../../shared/network/private-networks.ts";
import type { Identity } from "../scope.ts";
import { markOf, personId } from "./person.ts";
import type { Roles } from "./roles.ts";

/** A proxy that says who calls, and how. */
export interface TrustedProxy {
  /** Addresses and networks (`10.1.0.0/16`) from which it connects. */
  readonly addresses: readonly string[];
  /** The header with the name of the person who calls, in lower case. */
  readonly userHeader: string;
  /** The header with the person's groups, separated by commas; without it the person's name is the role. */
  readonly groupsHeader?: string | undefined;
  readonly roles: Roles;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** The parts of a request that say who calls. `IncomingMessage` has them. */
export interface ProxiedRequest {
  readonly socket: { readonly remoteAddress?: string | undefined };
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
}

/** The caller whom the proxy names; undefined for a request that is not the proxy's, or names nobody. */
export type FindProxied = (request: ProxiedRequest) => Identity | undefined;

const maxNameLength = 200;

/**
 * Reads who calls from the headers of a trusted proxy. Only the connection's own address counts: whatever other headers
 * say, a request from elsewhere names nobody. Throws `unauthorized` for a header that came twice, which a caller may
 * have added, and `insufficient_scope` for a person without a role.
 */
export function createProxyReader({ addresses, userHeader, groupsHeader, roles, now }: TrustedProxy): FindProxied {
  const trusted = listNetworks(addresses);
  return ({ socket, rawHeaders }) => {
    if (!isAmong(trusted, socket.remoteAddress)) return undefined;
    const name = readOnce(rawHeaders, userHeader);
    if (name === "") return undefined;
    if (name.length > maxNameLength) throw new ServiceError("unauthorized", `The name in ${userHeader} is too long`);
    const groups = groupsHeader === undefined ? undefined : splitList(readOnce(rawHeaders, groupsHeader));
    const nowMs = now();
    const granted = roles.grant(groups ?? [name], { sub: name, groups: groups ?? [] }, nowMs);
    if (granted === undefined) throw withoutRole(name);
    const { scopes, pins, budget = {}, redaction = "fixed", expiresAt } = granted;
    const tokenId = personId({ name, way: "proxy" }, markOf([name, scopes, pins, budget, redaction]));
    return { tokenId, scopes, pins, budget, redaction, expiresAt };
  };
}

/** The error of somebody who signed in and may do nothing. */
export function withoutRole(name: string): ServiceError {
  return new ServiceError("insufficient_scope", `${name} is signed in, but has no role here`, {
    hint: "Ask who runs this service for a role: LOGWEIR_OIDC_ROLES has them.",
  });
}

function readOnce(rawHeaders: readonly string[], name: string): string {
  const isNamed = (_: string, at: number) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name;
  const [value = "", ...others] = rawHeaders.filter(isNamed);
  if (others.length === 0) return value.trim();
  throw new ServiceError("unauthorized", `The header ${name} came more than once`, {
    hint: "The proxy has to replace what callers send under this name, instead of adding to it.",
  });
}

/** An IPv4 address is in IPv6's form where the service listens on both; no other form of one is the same caller's. */
function isAmong(list: ReturnType<typeof listNetworks>, remoteAddress: string | undefined): boolean {
  const address = (remoteAddress ?? "").replace(/^::ffff:(?=\d+\.)/i, "");
  return isIP(address) !== 0 && isIn(list, address);
}
