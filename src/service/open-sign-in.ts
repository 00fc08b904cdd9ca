import { readRoles } from "../access/sign-in/roles.ts";
import { createProxyReader } from "../access/sign-in/trusted-proxy.ts";
import type { Settings } from "../config/settings.ts";
import type { SignIn } from "../http/request/find-person.ts";
import { splitDestinations } from "../shared/private-networks.ts";
import type { Start } from "./start.ts";

/** Opens the ways in which people sign in to the console; undefined where the settings have none. */
export function openSignIn({ settings, nowMs }: Pick<Start, "settings" | "nowMs">): SignIn | undefined {
  return settings.oidcRoles === undefined ? undefined : { findProxied: openProxy(settings, nowMs) };
}

function openProxy(settings: Settings, now: () => number): SignIn["findProxied"] {
  const { oidcRoles = "", trustedProxy, proxyUserHeader, proxyGroupsHeader } = settings;
  if (trustedProxy === undefined || proxyUserHeader === undefined) return undefined;
  return createProxyReader({
    addresses: splitDestinations(trustedProxy),
    userHeader: proxyUserHeader.toLowerCase(),
    groupsHeader: proxyGroupsHeader?.toLowerCase(),
    roles: readRoles(oidcRoles),
    now,
  });
}
