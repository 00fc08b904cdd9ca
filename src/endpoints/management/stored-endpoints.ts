import { parseQuery } from "../../googlesql/parse.ts";
import { mapInTurns } from "../../shared/concurrency/give-way.ts";
import { messageOf } from "../../shared/message-of.ts";
import { writeContract } from "../definition/contract.ts";
import type { Endpoint } from "../definition/definition.ts";
import { describeDefinition } from "../definition/document.ts";
import { changedFields } from "../versions/compare-versions.ts";
import { readVersion } from "../versions/versions.ts";
import type { EndpointStore, NewVersion, StoredEndpoint } from "./endpoint-store.ts";

/**
 * The endpoints of the store as they were saved; each has the problem that it was not compiled yet. Others have their
 * turn meanwhile.
 */
export async function readStored(store: Pick<EndpointStore, "list">): Promise<readonly Endpoint[]> {
  return mapInTurns(await store.list(), toEndpoint);
}

function toEndpoint({ id, number, document, contract }: StoredEndpoint): Endpoint {
  const read = readVersion({ endpointId: id, document, contract });
  const { query } = read.definition;
  const common = { ...read, version: number, origin: { kind: "api" }, reads: [] } as const;
  try {
    return { ...common, savedQuery: parseQuery(query), sourceText: query, problem: "it was not compiled yet" };
  } catch (error) {
    // Written for another release of the language.
    const problem = messageOf(error);
    return { ...common, savedQuery: parseQuery("SELECT 1"), sourceText: "SELECT 1", problem };
  }
}

/**
 * Those that no file stands in for: a file that has the id of a stored endpoint hides it for as long as it is there.
 */
export function withoutHidden(stored: readonly Endpoint[], files: readonly Endpoint[]): readonly Endpoint[] {
  const ids = new Set(files.map(({ definition }) => definition.id));
  return stored.filter(({ definition }) => !ids.has(definition.id));
}

/** True for an endpoint of a file that was loaded with the same document before. */
export async function isLoadedBefore({ definition }: Endpoint, store: Pick<EndpointStore, "latest">): Promise<boolean> {
  const last = await store.latest(definition.id);
  return last !== undefined && changedFields(readVersion(last).definition, definition).length === 0;
}

/**
 * Endpoints of files with their numbers: the next one where the document is not what it was when it was last loaded.
 */
export async function numberFiles(files: readonly Endpoint[], store: EndpointStore): Promise<readonly Endpoint[]> {
  const known = new Map<Endpoint, number>();
  const made: { readonly endpoint: Endpoint; readonly version: NewVersion }[] = [];
  for (const endpoint of files) {
    const last = await store.latest(endpoint.definition.id);
    const before = last === undefined ? undefined : readVersion(last).definition;
    const changed = before === undefined ? [] : changedFields(before, endpoint.definition);
    const author = endpoint.origin.kind === "file" ? `file:${endpoint.origin.path}` : "";
    if (last !== undefined && changed.length === 0) known.set(endpoint, last.number);
    else {
      const action = last === undefined ? "create" : "update";
      made.push({ endpoint, version: toNewVersion(endpoint, { author, action, changed }) });
    }
  }
  const numbers = await store.record(made.map(({ version }) => version));
  made.forEach(({ endpoint }, index) => {
    known.set(endpoint, numbers[index] ?? endpoint.version);
  });
  return files.map((endpoint) => {
    const version = known.get(endpoint) ?? endpoint.version;
    return version === endpoint.version ? endpoint : { ...endpoint, version };
  });
}

/** Turns an endpoint into the record of a new version. */
export function toNewVersion(
  { definition, contract }: Endpoint,
  how: Pick<NewVersion, "author" | "action" | "changed"> & { readonly rollbackTo?: number },
): NewVersion {
  return {
    endpointId: definition.id,
    name: definition.name,
    rollbackTo: undefined,
    document: JSON.stringify(describeDefinition(definition)),
    contract: writeContract(contract),
    ...how,
  };
}
