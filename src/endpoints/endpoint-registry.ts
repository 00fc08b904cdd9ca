import type { Endpoint } from "./definition.ts";

/** The service's endpoints. */
export interface EndpointRegistry {
  readonly endpoints: readonly Endpoint[];
  /** By id, in any case, or by exact name. */
  find(idOrName: string): Endpoint | undefined;
}

/** Ids and names are unique; who loads endpoints sees to that. */
export function createEndpointRegistry(endpoints: readonly Endpoint[]): EndpointRegistry {
  const byId = new Map(endpoints.map((endpoint) => [endpoint.definition.id, endpoint]));
  const byName = new Map(endpoints.map((endpoint) => [endpoint.definition.name, endpoint]));
  return {
    endpoints,
    find: (idOrName) => byId.get(idOrName.toLowerCase()) ?? byName.get(idOrName),
  };
}
