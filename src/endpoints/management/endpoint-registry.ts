import type { EndpointLookup } from "../call/plan/endpoint-tables.ts";
import type { Endpoint } from "../definition/definition.ts";

/** Called with the ids of the endpoints that have changed, including removed ones. */
export type ChangeListener = (ids: readonly string[]) => void;

/** The service's current endpoints. A change takes effect immediately and as a whole. */
export interface EndpointRegistry extends EndpointLookup {
  /** By name. */
  readonly endpoints: readonly Endpoint[];
  /** By id, in any case, or by exact name; also with `@` and the number of the current version. */
  find(reference: string): Endpoint | undefined;
  /** As `find`, and `name@3` or `id@3` is that version, as it was, of the endpoint that has the name now. */
  open(reference: string): Promise<Endpoint | undefined>;
  /** Adds endpoints; each replaces one with the same id. */
  put(...endpoints: readonly Endpoint[]): void;
  remove(id: string): void;
  /** Replaces all endpoints. */
  replaceAll(endpoints: readonly Endpoint[]): void;
  onChange(listener: ChangeListener): void;
}

/** Finds an older version of an endpoint; undefined where there is none of that number. */
export type FindVersion = (current: Endpoint, version: number) => Promise<Endpoint | undefined>;

/** Ids and names are unique; callers that put endpoints in see to that. */
export function createEndpointRegistry(
  endpoints: readonly Endpoint[],
  findVersion: FindVersion = async () => undefined,
): EndpointRegistry {
  const listeners: ChangeListener[] = [];
  let byId: ReadonlyMap<string, Endpoint> = new Map();
  let byName: ReadonlyMap<string, Endpoint> = new Map();
  let sorted: readonly Endpoint[] = [];

  const replaceAll = (next: readonly Endpoint[]) => {
    const before = byId;
    sorted = next.toSorted((a, b) => compareTexts(a.definition.name, b.definition.name));
    byId = new Map(sorted.map((endpoint) => [endpoint.definition.id, endpoint]));
    byName = new Map(sorted.map((endpoint) => [endpoint.definition.name, endpoint]));
    const changed = [...before.keys()].filter((id) => byId.get(id) !== before.get(id));
    const added = [...byId.keys()].filter((id) => !before.has(id));
    if (changed.length + added.length > 0) for (const listener of listeners) listener([...changed, ...added]);
  };
  const find = (reference: string): Endpoint | undefined => {
    const { name, version } = splitReference(reference);
    const endpoint = byId.get(name.toLowerCase()) ?? byName.get(name);
    return version === undefined || endpoint?.version === version ? endpoint : undefined;
  };
  replaceAll(endpoints);

  return {
    get endpoints() {
      return sorted;
    },
    find,
    async open(reference) {
      const { name, version } = splitReference(reference);
      const current = find(name);
      if (current === undefined || version === undefined || version === current.version) return current;
      return findVersion(current, version);
    },
    findByName: (name) => byName.get(name),
    names: () => [...byName.keys()],
    put(...changed) {
      const ids = new Set(changed.map(({ definition }) => definition.id));
      replaceAll([...sorted.filter(({ definition }) => !ids.has(definition.id)), ...changed]);
    },
    remove: (id) => replaceAll(sorted.filter(({ definition }) => definition.id !== id)),
    replaceAll,
    onChange: (listener) => void listeners.push(listener),
  };
}

/** `name@3` taken apart: names have no `@`. What follows one and is no number is part of a name that nothing has. */
function splitReference(reference: string): { readonly name: string; readonly version: number | undefined } {
  const match = /^(.+)@([1-9][0-9]{0,8})$/s.exec(reference);
  if (match?.[1] === undefined) return { name: reference, version: undefined };
  return { name: match[1], version: Number(match[2]) };
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
