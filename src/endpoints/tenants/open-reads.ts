import { type Endpoint, noTenantParameter } from "../definition/definition.ts";
import { describeWarnings } from "../definition/field-problem.ts";
import type { OpenRead } from "./place-guards.ts";
import type { Tenancy } from "./tenancy.ts";

/**
 * Warnings about the reads of an endpoint that its query does not confine to a tenant, each with line and column. None
 * where the header names the parameter that binds pinned tokens, and where there is no parameter to pin. `read` are the
 * endpoints whose queries are part of its own.
 */
export function describeOpenReads(
  { definition, sourceText }: Pick<Endpoint, "definition" | "sourceText">,
  tenancy: Tenancy,
  read: readonly Endpoint[],
): readonly string[] {
  const declared = definition.tenantParameter;
  if (declared !== undefined && declared !== noTenantParameter) return [];
  const guards = definition.isSandboxed ? [tenancy.guards, tenancy.exposedGuards] : [tenancy.guards];
  const warnings = guards
    .flatMap(({ open }) => open)
    .map((each) => {
      const message = describe(each, declared, tenancy);
      const [text = ""] = describeWarnings(each.place.text, [{ message, span: each.place.span }]);
      const inner = each.place.text === sourceText ? undefined : read.find((one) => one.sourceText === each.place.text);
      return inner === undefined ? text : `in the endpoint ${inner.definition.name}, ${text}`;
    });
  return [...new Set(warnings)];
}

function describe(
  { source }: OpenRead,
  declared: string | undefined,
  { parameters, inferredParameter }: Tenancy,
): string {
  if (declared !== undefined) return `every tenant's rows of ${source} are read, so that tokens with pins are refused`;
  const names = parameters.map((name) => `@${name}`).join(" and ");
  if (inferredParameter !== undefined) {
    return (
      `this read of ${source} is not compared with ${names}, and shows that tenant's rows only; ` +
      `tenant_parameter: ${parameters.join()} confines calls of tokens that pin it only, tenant_parameter: none no call`
    );
  }
  if (parameters.length > 0) return `this read of ${source} is confined by none of ${names} unless a token pins it`;
  return (
    `no parameter confines this read of ${source} to a tenant, so that tokens with pins are refused; ` +
    "compare its tenant's field with a parameter, or name one in tenant_parameter"
  );
}
