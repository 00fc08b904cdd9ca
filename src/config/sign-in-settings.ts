import { isIP } from "node:net";
import { readRoles } from "../access/sign-in/roles.ts";
import { findDestinationProblem, splitDestinations } from "../shared/private-networks.ts";
import { UserError } from "../shared/user-error.ts";
import { nameSettings, type SettingDefinition } from "./setting-definition.ts";

const headerName = { kind: "text", form: /^[A-Za-z0-9-]+$/, formText: "the name of a header" } as const;

/** The settings of how people sign in to the console, besides access tokens. */
export const signInSettings = nameSettings({
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

/** Names are none: what they stand for is up to others. */
function findAddressProblem(text: string): string | undefined {
  const name = splitDestinations(text).find((entry) => isIP(entry.split("/")[0] ?? "") === 0);
  return name === undefined ? findDestinationProblem(text) : `${JSON.stringify(name)} is no address or network`;
}

/** Settings of signing in that lack others. */
export function findSignInProblems(read: (definition: SettingDefinition) => string | undefined): readonly string[] {
  const isSet = (definition: SettingDefinition) => read(definition) !== undefined;
  const { oidcRoles, trustedProxy, proxyUserHeader, proxyGroupsHeader } = signInSettings;
  const problems: string[] = [];
  if (isSet(trustedProxy) !== isSet(proxyUserHeader)) {
    problems.push("LOGWEIR_TRUSTED_PROXY and LOGWEIR_PROXY_USER_HEADER belong together: set both, or none");
  }
  if (isSet(proxyGroupsHeader) && !isSet(trustedProxy)) {
    problems.push("LOGWEIR_PROXY_GROUPS_HEADER: needs LOGWEIR_TRUSTED_PROXY, from where it is read");
  }
  if (isSet(trustedProxy) && !isSet(oidcRoles)) {
    problems.push("LOGWEIR_TRUSTED_PROXY: needs LOGWEIR_OIDC_ROLES, which says what people may do");
  }
  if (isSet(oidcRoles) && !isSet(trustedProxy)) {
    problems.push("LOGWEIR_OIDC_ROLES: needs LOGWEIR_TRUSTED_PROXY, by which people sign in");
  }
  return problems;
}
