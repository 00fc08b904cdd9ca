import { createVersionFinder } from "../versions/versions.ts";
import type { EndpointRegistry } from "./endpoint-registry.ts";
import { createEndpointRegistry } from "./endpoint-registry.ts";
import { recheckAll } from "./endpoint-set.ts";
import { followStore } from "./follow-store.ts";
import { type ManagedDependencies, ManagedEndpoints } from "./managed-endpoints.ts";
import { openEndpoints, type ReloadDependencies, type ReloadedFiles, reloadFiles } from "./reload-files.ts";

/** The endpoints of a service, and all that can be done to them. */
export interface OpenedEndpoints {
  readonly registry: EndpointRegistry;
  readonly managed: ManagedEndpoints;
  /** Reads the files again; see `reloadFiles`. */
  reload(): Promise<ReloadedFiles>;
  /** To be told that sources have changed: contracts may be others, and endpoints that could not run may run. */
  noteSources(): Promise<void>;
  /** To be told that another service may have changed endpoints in the store. */
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
  registry.onChange(() => versions.forget());
  const dependencies: ReloadDependencies = { ...given, registry };
  const open = () => openEndpoints(dependencies);
  // Files are numbered once, however many services begin with them at the same time.
  await (exclusively === undefined ? open() : exclusively(open, true));
  const managed = new ManagedEndpoints({ registry, store, engine, tables, ...(exclusively && { exclusively }) });
  const noteSources = () =>
    managed.alone(async () => registry.replaceAll(recheckAll(registry.endpoints, { engine, tables })));
  const noteStore = () => followStore(dependencies, managed);
  return { registry, managed, reload: () => reloadFiles(dependencies, managed), noteSources, noteStore };
}
