import { ServiceError } from "../../shared/errors.ts";
import type { CallTenants } from "../call/plan/plan.ts";
import type { Tenancy } from "./tenancy.ts";
import { boundParameter } from "./tenant-rule.ts";
import type { CallAccess, Confinement, SourceLookup } from "./tenant-tables.ts";

/** The way in which a call sees the sources: with its own query, or with a consumer's over the endpoint's tables. */
export function toCallAccess(tenancy: Tenancy, isConsumers: boolean, tenants: CallTenants): CallAccess {
  const confinement = findConfinement(tenancy, tenants);
  const { readValue } = tenants;
  return {
    kind: "call",
    guards: isConsumers ? tenancy.exposedGuards : tenancy.guards,
    confinement,
    readValue:
      confinement?.kind === "bound"
        ? (name) => (name === boundParameter ? confinement.tenant : readValue(name))
        : readValue,
  };
}

function findConfinement(
  { inferredParameter }: Tenancy,
  { readValue, bound, unboundPin }: CallTenants,
): Confinement | undefined {
  if (bound !== undefined) return { kind: "bound", ...bound };
  if (unboundPin !== undefined) return { kind: "refused", parameter: unboundPin };
  if (inferredParameter === undefined || readValue(inferredParameter) === undefined) return undefined;
  return { kind: "inferred", parameter: inferredParameter };
}

/**
 * Throws `pinned_parameter` for a pinned call whose query reads a source of which nothing is the caller's: one without
 * tenants where the pin selects the tenant, one with tenants where it does not. `read` names the sources that the
 * compiled query reads.
 */
export function refuseClosedSources(
  { confinement }: CallAccess,
  lookups: readonly SourceLookup[],
  read: readonly string[],
): void {
  if (confinement === undefined || confinement.kind === "inferred") return;
  const isRead = ({ scope, definition }: SourceLookup): boolean =>
    scope.kind === "declared" && definition !== undefined && read.includes(definition.name);
  if (!lookups.some(isRead)) return;
  const { parameter } = confinement;
  if (confinement.kind === "bound") {
    throw new ServiceError(
      "pinned_parameter",
      `This token is bound by ${parameter}, and a source of this query has no tenants`,
      { parameter, hint: "Use an endpoint whose sources name their tenant's field, or a token without the pin." },
    );
  }
  throw new ServiceError(
    "pinned_parameter",
    `This token is bound by ${parameter}, which does not tell whose rows this endpoint reads`,
    {
      parameter,
      hint: `Use an endpoint whose tenant_parameter is ${parameter}, or a token that pins this endpoint's.`,
    },
  );
}
