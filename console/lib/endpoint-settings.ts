import type { Endpoint } from "../api/operations.ts";
import { readParameters, withoutNulls } from "./parameters.ts";

/** The fields of an endpoint in a form, besides its name and its query. */
export interface EndpointSettings {
  readonly description: string;
  /** Empty for the service's default. */
  readonly maxRows: string;
  /** Empty for no cache. */
  readonly cacheSeconds: string;
  readonly isSandboxed: boolean;
  readonly isRedacted: boolean;
  /** A JSON object: each parameter by its name. */
  readonly parameters: string;
}

type Shown = Pick<Endpoint, "description" | "max_rows" | "cache_seconds" | "sandbox" | "redact_pii" | "parameters">;

/** The settings as the form shows them. */
export function readEndpointSettings(endpoint: Shown): EndpointSettings {
  const parameters = Object.entries(endpoint.parameters).map(([name, each]) => [name, withoutNulls(each)] as const);
  return {
    description: endpoint.description ?? "",
    maxRows: String(endpoint.max_rows),
    cacheSeconds: endpoint.cache_seconds === 0 ? "" : String(endpoint.cache_seconds),
    isSandboxed: endpoint.sandbox,
    isRedacted: endpoint.redact_pii !== false,
    parameters: parameters.length === 0 ? "" : JSON.stringify(Object.fromEntries(parameters), undefined, 2),
  };
}

/** The change of the API that makes these settings of an endpoint's: what was left as it was is not sent. */
export function toEndpointChange(settings: EndpointSettings, endpoint: Shown): Readonly<Record<string, unknown>> {
  const before = readEndpointSettings(endpoint);
  const numberOf = (text: string) => (text.trim() === "" ? null : Number(text));
  const fields = {
    description: ["description", () => settings.description.trim() || null],
    maxRows: ["max_rows", () => numberOf(settings.maxRows)],
    cacheSeconds: ["cache_seconds", () => numberOf(settings.cacheSeconds)],
    isSandboxed: ["sandbox", () => settings.isSandboxed],
    isRedacted: ["redact_pii", () => settings.isRedacted],
    parameters: ["parameters", () => readParameters(settings.parameters) ?? {}],
  } as const satisfies Record<keyof EndpointSettings, readonly [string, () => unknown]>;
  const changed = (Object.keys(fields) as (keyof EndpointSettings)[]).filter((key) => settings[key] !== before[key]);
  return Object.fromEntries(changed.map((key) => [fields[key][0], fields[key][1]()]));
}
