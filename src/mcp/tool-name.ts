import type { EndpointDefinition } from "../endpoints/definition/definition.ts";

/** Tools that are no endpoint. */
export const ownTools = { query: "query", patterns: "patterns" } as const;

/** As MCP has names of tools. */
const allowed = /^[A-Za-z0-9_.-]{1,128}$/;
const byId = /^endpoint\.[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/**
 * The name of an endpoint's tool: the endpoint's own. Where that is the name of one of our tools, or none that MCP
 * allows, it is made of the endpoint's id, and so is a name that looks as if it were: two endpoints never share one,
 * and no other endpoint changes it.
 */
export function toolNameOf({ id, name }: Pick<EndpointDefinition, "id" | "name">): string {
  const isOwn = name === ownTools.query || name === ownTools.patterns;
  return isOwn || !allowed.test(name) || byId.test(name) ? `endpoint.${id.toLowerCase()}` : name;
}
