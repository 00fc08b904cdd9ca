import { stringify } from "yaml";
import type { EndpointDefinition } from "./definition.ts";
import { describeDefinition } from "./document.ts";
import { toDefinition } from "./to-definition.ts";

/**
 * The file of an endpoint: what is set as a header, then the query, byte for byte. Reading it gives the same
 * definition again.
 */
export function writeEndpointFile(definition: EndpointDefinition): string {
  const { id, name, query } = definition;
  const usual = describeDefinition(toDefinition({ id }, name, query).definition);
  const header: Record<string, unknown> = { id, name };
  for (const [field, value] of Object.entries(describeDefinition(definition))) {
    if (field === "query" || JSON.stringify(value) === JSON.stringify(usual[field])) continue;
    header[field] = field === "parameters" ? withoutUsual(value) : value;
  }
  return `/*---\n${stringify(header, { lineWidth: 0 })}---*/\n${query}`;
}

/** Parameters without what they would be anyway. */
function withoutUsual(parameters: unknown): unknown {
  const entries = Object.entries(parameters as Readonly<Record<string, object>>).map(([name, parameter]) => [
    name,
    Object.fromEntries(
      Object.entries(parameter).filter(([key, value]) => value !== null && !(key === "required" && value === false)),
    ),
  ]);
  return Object.fromEntries(entries);
}
