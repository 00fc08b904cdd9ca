import type { Identity } from "../access/scope.ts";
import type { Endpoint } from "../endpoints/definition/definition.ts";
import { callableEndpoints } from "../openapi/build-open-api.ts";
import { ServiceError } from "../shared/errors.ts";

/** An endpoint whose tables the caller may query, by the name that it has as a dataset. */
export interface Dataset {
  readonly id: string;
  readonly endpoint: Endpoint;
}

/** The name of an endpoint with `_` for everything that is no letter, digit or `_`. */
const toDatasetName = (name: string): string => name.replaceAll(/[^A-Za-z0-9_]/g, "_");

/**
 * The datasets of a caller. Where two endpoints would have the same, it is that of the endpoint with exactly this name;
 * the others have a part of their id behind it, so that nothing changes its name because of another token.
 */
export function listDatasets(endpoints: readonly Endpoint[], identity: Identity): readonly Dataset[] {
  const ids = datasetIds(endpoints);
  return callableEndpoints(endpoints, identity)
    .filter(({ definition }) => definition.isSandboxed)
    .map((endpoint) => ({ id: ids.get(endpoint.definition.id) ?? "", endpoint }));
}

const known = new WeakMap<readonly Endpoint[], ReadonlyMap<string, string>>();

/** The names of all endpoints as datasets, by their ids; made once for the endpoints of the moment. */
function datasetIds(endpoints: readonly Endpoint[]): ReadonlyMap<string, string> {
  const made = known.get(endpoints);
  if (made !== undefined) return made;
  const named = endpoints.map(({ definition: { id, name } }) => ({ id, name, dataset: toDatasetName(name) }));
  const counts = new Map<string, number>();
  for (const { dataset } of named) counts.set(dataset, (counts.get(dataset) ?? 0) + 1);
  const ids = new Map(
    named.map(({ id, name, dataset }) => {
      const isAlone = dataset === name || counts.get(dataset) === 1;
      return [id, isAlone ? dataset : `${dataset}_${id.replaceAll("-", "").slice(0, 8)}`];
    }),
  );
  known.set(endpoints, ids);
  return ids;
}

/** Throws `unknown_endpoint` for a dataset that the caller does not have. */
export function findDataset(datasets: readonly Dataset[], id: string): Dataset {
  const found = datasets.find((each) => each.id === id);
  if (found !== undefined) return found;
  throw new ServiceError("unknown_endpoint", `Not found: Dataset ${id.slice(0, 200)}`, {
    hint: "Datasets are the endpoints that the token may send queries to, with _ for . and -.",
  });
}
