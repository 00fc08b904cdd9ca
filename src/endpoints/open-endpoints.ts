import type { EndpointRegistry } from "./endpoint-registry.ts";
import { createEndpointRegistry } from "./endpoint-registry.ts";
import { createManagedEndpoints, type ManagedEndpoints } from "./managed-endpoints.ts";
import { openEndpoints, type ReloadDependencies, type ReloadedFiles, reloadFiles } from "./reload-files.ts";
import { createVersionFinder } from "./versions.ts";

/** The endpoints of a service, and all that can be done to them. */
export interface OpenedEndpoints {
  readonly registry: EndpointRegistry;
  readonly managed: ManagedEndpoints;
  /** Reads the files again; see `reloadFiles`. */
  reload(): Promise<ReloadedFiles>;
}

/** Opens the endpoints of a folder and a store. Throws `EndpointFileError` with every problem of every file. */
export async function openServiceEndpoints(given: Omit<ReloadDependencies, "registry">): Promise<OpenedEndpoints> {
  const { engine, tables, store } = given;
  const versions = createVersionFinder(store, { engine, tables, endpoints: () => registry.endpoints });
  const registry = createEndpointRegistry([], versions.find);
  registry.onChange(() => versions.forget());
  const dependencies: ReloadDependencies = { ...given, registry };
  await openEndpoints(dependencies);
  const managed = createManagedEndpoints({ registry, store, engine, tables });
  return { registry, managed, reload: () => reloadFiles(dependencies, managed) };
}
