import { pickBudget } from "../../shared/budget.ts";
import type { EndpointDefinition, ParameterDefinition } from "./definition.ts";
import type { FieldProblem } from "./field-problem.ts";
import { type EndpointHeader, isUuid, type ParameterHeader, reservedParameters } from "./header.ts";
import { describeParameterType, parseParameterValue } from "./parameter-value.ts";

type Report = (path: readonly string[], message: string) => void;

/**
 * The definition that a header and a query mean, and what is wrong with it beyond its form. With problems the
 * definition is the best guess, good enough to look for more of them.
 */
export function toDefinition(
  header: EndpointHeader,
  name: string,
  query: string,
): { readonly definition: EndpointDefinition; readonly problems: readonly FieldProblem[] } {
  const problems: FieldProblem[] = [];
  const report: Report = (path, message) => problems.push({ path, message });
  const cacheSeconds = header.cache_seconds ?? 0;
  if (header.warm_every_seconds !== undefined && cacheSeconds === 0) {
    report(["warm_every_seconds"], "only an endpoint with cache_seconds can be kept warm");
  }
  if (isUuid(name)) report(["name"], "a name of the form of a UUID could never be called");
  const folded = new Set<string>();
  const parameters = Object.entries(header.parameters ?? {}).map(([parameterName, parameter]) => {
    const key = parameterName.toLowerCase();
    if (folded.has(key)) report(["parameters", parameterName], "differs from another parameter in case only");
    folded.add(key);
    return toParameter(parameterName, parameter ?? {}, report);
  });
  const { max_rows: _rows, ...budget } = pickBudget(header);
  const definition: EndpointDefinition = {
    id: header.id.toLowerCase(),
    name,
    description: header.description,
    query,
    maxRows: header.max_rows ?? 1_000,
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
    cacheSeconds,
    warmEverySeconds: header.warm_every_seconds,
    isSandboxed: header.sandbox ?? false,
    // A list of detectors is a yes.
    redactsPii: Array.isArray(header.redact_pii) || (header.redact_pii ?? false),
    ...(Array.isArray(header.redact_pii) ? { detectors: header.redact_pii } : {}),
    parameters,
    ...(header.tenant_parameter === undefined ? {} : { tenantParameter: header.tenant_parameter }),
    tableAliases: header.table_aliases ?? {},
    ...(header.hidden_columns?.length ? { hiddenColumns: header.hidden_columns } : {}),
    labels: header.labels ?? {},
  };
  return { definition, problems };
}

function toParameter(name: string, header: ParameterHeader, report: Report): ParameterDefinition {
  const type = header.type ?? "string";
  const keys = ["parameters", name];
  if (reservedParameters.includes(name.toLowerCase())) {
    report(
      keys,
      `has a meaning of its own in every call; these names cannot be declared: ${reservedParameters.join(", ")}`,
    );
  }
  const canonical = (value: unknown, key: string) => {
    const parsed = parseParameterValue(type, value);
    if (parsed === undefined) report([...keys, key], `${JSON.stringify(value)} is not ${describeParameterType(type)}`);
    return parsed ?? null;
  };
  const allowed = header.allowed?.map((value) => String(canonical(value, "allowed")));
  const fallback = header.default === undefined ? null : canonical(header.default, "default");
  if (header.default !== undefined && header.required === true) {
    report([...keys, "default"], "a required parameter has no default");
  }
  if (allowed !== undefined && fallback !== null && !allowed.includes(String(fallback))) {
    report([...keys, "default"], `must be one of the allowed values: ${allowed.join(", ")}`);
  }
  return {
    name,
    type,
    isRequired: header.required ?? false,
    allowed,
    default: fallback,
    description: header.description,
  };
}
