import type { Authenticator } from "../access/authenticator.ts";
import { createIssuer } from "../access/sign-in/issuer.ts";
import { type Roles, readRoles } from "../access/sign-in/roles.ts";
import { createSessions, endSessions } from "../access/sign-in/sessions.ts";
import { createProxyReader } from "../access/sign-in/trusted-proxy.ts";
import type { TokenStore } from "../access/token.ts";
import type { Settings } from "../config/settings.ts";
import type { OidcSignIn, SignIn } from "../http/request/find-person.ts";
import { splitList } from "../shared/network/private-networks.ts";
import type { Start } from "./start.ts";

interface Needs {
  readonly tokens: TokenStore;
  readonly authenticator: Authenticator;
}

/**
 * Opens the ways in which people sign in to the console; undefined where the settings have none. Ends the sessions that
 * were begun under other settings. The issuer is asked for nothing before the first person signs in.
 */
export async function openSignIn(start: Start, needs: Needs): Promise<SignIn | undefined> {
  const { settings, nowMs: now, logger } = start;
  const roles = settings.oidcRoles === undefined ? undefined : readRoles(settings.oidcRoles);
  const oidc = roles === undefined ? undefined : openOidc(start, roles, needs);
  const ended = await (oidc?.sessions.endOutdated() ?? endSessions(needs.tokens, () => true));
  if (ended > 0) logger.info(`${ended} sessions of people were ended: the settings of signing in have changed`);
  return roles === undefined ? undefined : { oidc, findProxied: openProxy(settings, roles, now) };
}

function openOidc({ settings, nowMs: now, logger }: Start, roles: Roles, needs: Needs): OidcSignIn | undefined {
  const { oidcIssuer, oidcClientId, oidcClientSecret, oidcRolesClaim, oidcRoles, publicUrl } = settings;
  if (oidcIssuer === undefined || oidcClientId === undefined) return undefined;
  const issuer = createIssuer({
    issuer: new URL(oidcIssuer),
    clientId: oidcClientId,
    clientSecret: oidcClientSecret,
    onFailure: (reason) => logger.warn(`The issuer that people sign in with: ${reason}`),
    now,
  });
  const sessions = createSessions({
    tokens: needs.tokens,
    roles,
    roleClaims: splitList(oidcRolesClaim),
    issuerName: issuer.name,
    settings: [oidcIssuer, oidcClientId, oidcRolesClaim, oidcRoles],
    now,
  });
  const address = publicUrl === undefined ? undefined : new URL(publicUrl);
  return { issuer, sessions, authenticator: needs.authenticator, publicUrl: address };
}

function openProxy(settings: Settings, roles: Roles, now: () => number): SignIn["findProxied"] {
  const { trustedProxy, proxyUserHeader, proxyGroupsHeader } = settings;
  if (trustedProxy === undefined || proxyUserHeader === undefined) return undefined;
  return createProxyReader({
    addresses: splitList(trustedProxy),
    userHeader: proxyUserHeader.toLowerCase(),
    groupsHeader: proxyGroupsHeader?.toLowerCase(),
    roles,
    now,
  });
}
