import type { Endpoint } from "../definition/definition.ts";
import { createVersionFinder } from "../versions/versions.ts";
import type { EndpointRegistry } from "./endpoint-registry.ts";
import { createEndpointRegistry } from "./endpoint-registry.ts";
import { checkReaders, recheckReaders } from "./endpoint-set.ts";
import { type ManagedDependencies, ManagedEndpoints } from "./managed-endpoints.ts";
import { openEndpoints, type ReloadDependencies, type ReloadedFiles, reloadFiles } from "./reload-files.ts";
import { readStored, withoutHidden } from "./stored-endpoints.ts";

/** The endpoints of a service, and all that can be done to them. */
export interface OpenedEndpoints {
  readonly registry: EndpointRegistry;
  readonly managed: ManagedEndpoints;
  /** Reads the files again; see `reloadFiles`. */
  reload(): Promise<ReloadedFiles>;
  /** To be called with the sources that have changed: contracts may differ, and endpoints may run that did not. */
  noteSources(changed: ReadonlySet<string>): Promise<void>;
  /** To be called when another service may have changed endpoints in the store. */
  noteStore(): Promise<void>;
}

/** Opens the endpoints of a folder and a store. Throws `EndpointFileError` with every problem of every file. */
export async function openServiceEndpoints({
  exclusively,
  ...given
}: Omit<ReloadDependencies, "registry"> & Pick<ManagedDependencies, "exclusively">): Promise<OpenedEndpoints> {
  const { engine, tables, store } = given;
  const versions = createVersionFinder(store, { engine, tables, endpoints: () => registry.endpoints });
  const registry = createEndpointRegistry([], versions.find);
  registry.onChange((ids) => versions.forget(ids));
  const dependencies: ReloadDependencies = { ...given, registry };
  const open = () => openEndpoints(dependencies);
  // Files are numbered once, however many services begin with them at the same time.
  await (exclusively === undefined ? open() : exclusively(open, true));
  const managed = new ManagedEndpoints({ registry, store, engine, tables, ...(exclusively && { exclusively }) });
  const noteSources = (changed: ReadonlySet<string>) =>
    managed.alone(async () => {
      registry.replaceAll(await recheckReaders(registry.endpoints, changed, { engine, tables }));
      versions.forget();
    });
  const noteStore = () => followStore(dependencies, managed);
  return { registry, managed, reload: () => reloadFiles(dependencies, managed), noteSources, noteStore };
}

/**
 * Takes over what another service changed in the store. One of the same version stays the same object, with its plans
 * and cached answers. They were checked where they were saved: one that does not run here says what its problem is.
 */
function followStore(
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
    const compiled = await checkReaders(next, new Set(), { engine, tables });
    registry.replaceAll((await checkReaders(compiled.endpoints, changed, { engine, tables })).endpoints);
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
