import type { CompileDependencies } from "../call/plan/compile-query.ts";
import type { Endpoint } from "../definition/definition.ts";
import { describeDefinition } from "../definition/document.ts";
import { EndpointFileError, loadEndpoints } from "../definition/load-endpoints.ts";
import type { EndpointRegistry } from "./endpoint-registry.ts";
import { checkReaders } from "./endpoint-set.ts";
import type { EndpointStore } from "./endpoint-store.ts";
import type { ManagedEndpoints } from "./managed-endpoints.ts";
import { isLoadedBefore, numberFiles, readStored, withoutHidden } from "./stored-endpoints.ts";

/** Names of endpoints that reloading the files changed. */
export interface ReloadedFiles {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

export interface ReloadDependencies extends Pick<CompileDependencies, "engine" | "tables"> {
  /** Those of the files; a later one takes precedence. */
  readonly folders: readonly string[];
  readonly registry: EndpointRegistry;
  readonly store: EndpointStore;
}

/**
 * Reads the files and the store at the start. Throws `EndpointFileError` with every problem of every file. A stored
 * endpoint that no longer compiles, since a source is gone for example, stays: it says what its problem is, and can
 * be changed or removed.
 */
export async function openEndpoints({ folders, registry, store, ...compile }: ReloadDependencies): Promise<void> {
  const stored = await readStored(store);
  const isKnown = (draft: Endpoint) => isLoadedBefore(draft, store);
  const files = await numberFiles(await loadEndpoints(folders, { ...compile, stored, isKnown }), store);
  const all = [...files, ...withoutHidden(stored, files)];
  registry.replaceAll((await checkReaders(all, new Set(), compile)).endpoints);
}

/**
 * Reads the files again: all of them count at once, or, where one has a problem or would break an endpoint that reads
 * it, none, and an `EndpointFileError` lists every problem. What is the same stays the same, with its plans and
 * cached answers.
 */
export function reloadFiles(
  { folders, registry, store, ...compile }: ReloadDependencies,
  managed: Pick<ManagedEndpoints, "alone">,
): Promise<ReloadedFiles> {
  return managed.alone(async () => {
    const stored = await readStored(store);
    const isKnown = (draft: Endpoint) => isLoadedBefore(draft, store);
    const files = await loadEndpoints(folders, { ...compile, stored, isKnown });
    const before = new Map(registry.endpoints.map((endpoint) => [endpoint.definition.id, endpoint]));
    const own = withoutHidden(stored, files).map((endpoint) => {
      const known = before.get(endpoint.definition.id);
      return known?.origin.kind === "api" ? known : endpoint;
    });
    const touched = findTouched([...before.values()], [...files, ...own]);
    const kept = files.map((endpoint) => {
      const known = before.get(endpoint.definition.id);
      const isSame = !touched.has(endpoint.definition.id) && !endpoint.reads.some((id) => touched.has(id));
      return known !== undefined && isSame ? known : endpoint;
    });
    const { endpoints, broken } = await checkReaders([...kept, ...own], touched, compile);
    if (broken.length > 0) {
      const lines = broken.map(
        ({ endpoint, problem }) => `the endpoint ${endpoint.definition.name}: ${problem.message}`,
      );
      throw new EndpointFileError(`The files would break endpoints that read them:\n${lines.join("\n")}`);
    }
    const isFile = ({ origin }: Endpoint) => origin.kind === "file";
    const numbered = await numberFiles(endpoints.filter(isFile), store);
    registry.replaceAll([...numbered, ...endpoints.filter((endpoint) => !isFile(endpoint))]);
    return compare([...before.values()], registry.endpoints);
  });
}

/** Ids of the endpoints that came, went, moved or have another document. */
function findTouched(before: readonly Endpoint[], after: readonly Endpoint[]): ReadonlySet<string> {
  const describe = ({ definition, origin }: Endpoint) => JSON.stringify([describeDefinition(definition), origin]);
  const old = new Map(before.map((endpoint) => [endpoint.definition.id, endpoint]));
  const current = new Set(after.map(({ definition }) => definition.id));
  const changed = after.filter((endpoint) => {
    const known = old.get(endpoint.definition.id);
    return known !== endpoint && (known === undefined || describe(known) !== describe(endpoint));
  });
  const ids = changed.map(({ definition }) => definition.id);
  return new Set([...ids, ...[...old.keys()].filter((id) => !current.has(id))]);
}

function compare(
  before: readonly { readonly definition: { readonly id: string; readonly name: string }; readonly version: number }[],
  after: typeof before,
): ReloadedFiles {
  const old = new Map(before.map((endpoint) => [endpoint.definition.id, endpoint]));
  const current = new Set(after.map(({ definition }) => definition.id));
  const nameOf = ({ definition }: (typeof before)[number]) => definition.name;
  return {
    added: after.filter(({ definition }) => !old.has(definition.id)).map(nameOf),
    changed: after
      .filter(({ definition, version }) => {
        const known = old.get(definition.id);
        return known !== undefined && known.version !== version;
      })
      .map(nameOf),
    removed: before.filter(({ definition }) => !current.has(definition.id)).map(nameOf),
  };
}
