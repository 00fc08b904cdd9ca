import type { Endpoint } from "../definition/definition.ts";
import { checkReaders } from "./endpoint-set.ts";
import type { ManagedEndpoints } from "./managed-endpoints.ts";
import type { ReloadDependencies } from "./reload-files.ts";
import { readStored, withoutHidden } from "./stored-endpoints.ts";

/**
 * Takes over what another service changed in the store. One of the same version stays the same object, with its plans
 * and cached answers. They were checked where they were saved: one that does not run here says what its problem is.
 */
export function followStore(
  { registry, store, engine, tables }: Omit<ReloadDependencies, "folders">,
  managed: Pick<ManagedEndpoints, "alone">,
): Promise<void> {
  return managed.alone(async () => {
    const before = new Map(registry.endpoints.map((endpoint) => [endpoint.definition.id, endpoint]));
    const files = registry.endpoints.filter(({ origin }) => origin.kind === "file");
    const stored = withoutHidden(await readStored(store), files);
    const next = [...files, ...stored.map((endpoint) => sameAs(endpoint, before) ?? endpoint)];
    const changed = findChanged(before, next);
    if (changed.size === 0) return;
    // First those that changed, then what reads them.
    const compiled = checkReaders(next, new Set(), { engine, tables }).endpoints;
    registry.replaceAll(checkReaders(compiled, changed, { engine, tables }).endpoints);
  });
}

function sameAs({ definition, version }: Endpoint, before: ReadonlyMap<string, Endpoint>): Endpoint | undefined {
  const known = before.get(definition.id);
  return known?.origin.kind === "api" && known.version === version ? known : undefined;
}

/** Ids of those that came, went or have another version. */
function findChanged(before: ReadonlyMap<string, Endpoint>, next: readonly Endpoint[]): ReadonlySet<string> {
  const ids = new Set(next.map(({ definition }) => definition.id));
  const changed = next.filter((endpoint) => before.get(endpoint.definition.id) !== endpoint);
  const gone = [...before.keys()].filter((id) => !ids.has(id));
  return new Set([...changed.map(({ definition }) => definition.id), ...gone]);
}
