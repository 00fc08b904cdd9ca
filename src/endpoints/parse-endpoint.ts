import { basename } from "node:path";
import { parseCheckedYaml, type TextProblem } from "../checked-yaml.ts";
import type { EndpointDefinition, ParameterDefinition } from "./definition.ts";
import { EndpointHeader, type ParameterHeader, reservedParameters, splitHeader } from "./header.ts";
import { describeParameterType, parseParameterValue } from "./parameter-value.ts";

/** An endpoint file taken apart, or all that is wrong with its header. */
export type ParsedEndpointFile =
  | { readonly definition: EndpointDefinition; readonly offsetOf: (path: readonly string[]) => number }
  | { readonly problems: readonly TextProblem[] };

type Report = (path: readonly string[], message: string) => void;

/** Reads an endpoint file: its header is checked here, its query is not yet read. */
export function parseEndpointFile(text: string, path: string): ParsedEndpointFile {
  const parts = splitHeader(text);
  if (parts === undefined) {
    const message =
      "an endpoint file begins with a header: /*--- on the first line, YAML, then ---*/ on a line of its own";
    return { problems: [{ message, offset: 0 }] };
  }
  const checked = parseCheckedYaml(parts.yaml, EndpointHeader);
  if (!checked.isValid) {
    return { problems: checked.problems.map(({ message, offset }) => ({ message, offset: offset + parts.yamlStart })) };
  }
  const offsetOf = (keys: readonly string[]) => checked.offsetOf(keys) + parts.yamlStart;
  const problems: TextProblem[] = [];
  const report: Report = (keys, message) =>
    problems.push({ message: `${keys.join(".")}: ${message}`, offset: offsetOf(keys) });
  const definition = toDefinition(checked.value, text.slice(parts.queryStart), path, report);
  return problems.length > 0 ? { problems } : { definition, offsetOf };
}

function toDefinition(header: EndpointHeader, query: string, path: string, report: Report): EndpointDefinition {
  const cacheSeconds = header.cache_seconds ?? 0;
  if (header.warm_every_seconds !== undefined && cacheSeconds === 0) {
    report(["warm_every_seconds"], "only an endpoint with cache_seconds can be kept warm");
  }
  const name = header.name ?? basename(path).replace(/\.sql$/i, "");
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(name)) {
    report(["name"], `the file's name ${JSON.stringify(name)} cannot be an endpoint's; give it a name here`);
  }
  if (/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/.test(name)) {
    report(["name"], "a name of the form of a UUID could never be called");
  }
  const folded = new Set<string>();
  const parameters = Object.entries(header.parameters ?? {}).map(([parameterName, parameter]) => {
    const key = parameterName.toLowerCase();
    if (folded.has(key)) report(["parameters", parameterName], "differs from another parameter in case only");
    folded.add(key);
    return toParameter(parameterName, parameter ?? {}, report);
  });
  return {
    id: header.id.toLowerCase(),
    name,
    description: header.description,
    query,
    maxRows: header.max_rows ?? 1_000,
    cacheSeconds,
    warmEverySeconds: header.warm_every_seconds,
    isSandboxed: header.sandbox ?? false,
    // A list of detectors is a yes.
    redactsPii: Array.isArray(header.redact_pii) || (header.redact_pii ?? false),
    ...(Array.isArray(header.redact_pii) ? { detectors: header.redact_pii } : {}),
    parameters,
    tableAliases: header.table_aliases ?? {},
    labels: header.labels ?? {},
  };
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
