import { isIP } from "node:net";
import { readRoles } from "../access/sign-in/roles.ts";
import { findDestinationProblem, splitList } from "../shared/network/private-networks.ts";
import { UserError } from "../shared/user-error.ts";
import { nameSettings, type ValuesOf, variableOf } from "./setting-definition.ts";

const headerName = { kind: "text", form: /^[A-Za-z0-9-]+$/, formText: "the name of a header" } as const;

/** The settings of how people sign in to the console, besides access tokens. */
export const signInSettings = nameSettings({
  oidcIssuer: {
    type: { kind: "text", findProblem: findIssuerProblem },
    default: undefined,
    description:
      "The OpenID Connect issuer that people sign in to the console with: its `https://` address, as its metadata " +
      "have it. See [security.md](security.md#people-who-sign-in).",
  },
  oidcClientId: {
    type: { kind: "text" },
    default: undefined,
    description: "The id that the issuer knows this service by.",
  },
  oidcClientSecret: {
    type: { kind: "text" },
    default: undefined,
    mask: () => "(set)",
    description: "Its secret; unset for a public client.",
  },
  oidcRolesClaim: {
    type: { kind: "text" },
    default: "roles,groups",
    description:
      "The claims whose values are a person's roles, separated by commas; a path such as `realm_access.roles` is one too.",
  },
  publicUrl: {
    type: { kind: "text", findProblem: findPublicUrlProblem },
    default: undefined,
    description:
      "Where people reach the console, such as `https://logs.example.com/`: the issuer sends them back there. Needed " +
      "behind a proxy; without it, the address that they call by http.",
  },
  oidcRoles: {
    type: { kind: "text", findProblem: findRolesProblem },
    default: undefined,
    description:
      "What people who sign in may do, by their roles: JSON such as " +
      '`{"admins": "private", "support": {"scopes": ["query"], "redaction": "required"}}`. ' +
      "See [security.md](security.md#people-who-sign-in).",
  },
  trustedProxy: {
    type: { kind: "text", findProblem: findAddressProblem },
    default: undefined,
    description:
      "Addresses and networks (`10.1.0.0/16`) of the proxies that say who calls, separated by commas. Whoever can " +
      "connect from there can sign in as anyone.",
  },
  proxyUserHeader: {
    type: headerName,
    default: undefined,
    description: "The header in which these proxies name the person who calls, such as `X-Forwarded-User`.",
  },
  proxyGroupsHeader: {
    type: headerName,
    default: undefined,
    description:
      "The header with the person's groups, separated by commas: their roles. Without it, the person's name is " +
      "the role.",
  },
});

function findRolesProblem(text: string): string | undefined {
  try {
    readRoles(text);
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

function findIssuerProblem(text: string): string | undefined {
  const url = readAddress(text);
  const isHere = url !== undefined && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url?.protocol === "https:" || (isHere && url.protocol === "http:")) return undefined;
  return "must be an https:// address; http:// is for issuers on the same machine";
}

function findPublicUrlProblem(text: string): string | undefined {
  return /^https?:$/.test(readAddress(text)?.protocol ?? "") ? undefined : "must be an https:// or http:// address";
}

/** Undefined where the address is none, or has a user, a query or a fragment. */
function readAddress(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url === undefined || `${url.username}${url.password}${url.search}${url.hash}` !== "" ? undefined : url;
}

/** Names are none: what they stand for is up to others. */
function findAddressProblem(text: string): string | undefined {
  const name = splitList(text).find((entry) => isIP(entry.split("/")[0] ?? "") === 0);
  return name === undefined ? findDestinationProblem(text) : `${JSON.stringify(name)} is no address or network`;
}

/** Settings of signing in that lack others. */
export function findSignInProblems(values: ValuesOf<typeof signInSettings>): readonly string[] {
  const isSet = (key: keyof typeof values) => values[key] !== undefined;
  const problems: string[] = [];
  if (isSet("oidcIssuer") !== isSet("oidcClientId")) {
    problems.push("LOGWEIR_OIDC_ISSUER and LOGWEIR_OIDC_CLIENT_ID belong together: set both, or none");
  }
  for (const key of isSet("oidcIssuer") ? [] : (["oidcClientSecret", "publicUrl"] as const).filter(isSet)) {
    problems.push(`${variableOf(signInSettings[key])}: needs LOGWEIR_OIDC_ISSUER, with which people sign in`);
  }
  if (isSet("trustedProxy") !== isSet("proxyUserHeader")) {
    problems.push("LOGWEIR_TRUSTED_PROXY and LOGWEIR_PROXY_USER_HEADER belong together: set both, or none");
  }
  if (isSet("proxyGroupsHeader") && !isSet("trustedProxy")) {
    problems.push("LOGWEIR_PROXY_GROUPS_HEADER: needs LOGWEIR_TRUSTED_PROXY, from where it is read");
  }
  for (const key of isSet("oidcRoles") ? [] : (["oidcIssuer", "trustedProxy"] as const).filter(isSet)) {
    problems.push(`${variableOf(signInSettings[key])}: needs LOGWEIR_OIDC_ROLES, which says what people may do`);
  }
  if (isSet("oidcRoles") && !isSet("trustedProxy") && !isSet("oidcIssuer")) {
    problems.push("LOGWEIR_OIDC_ROLES: needs LOGWEIR_OIDC_ISSUER or LOGWEIR_TRUSTED_PROXY, by which people sign in");
  }
  return problems;
}
