import { randomUUID } from "node:crypto";
import { ServiceError } from "../../shared/errors.ts";
import type { CompileDependencies } from "../call/compile-endpoint.ts";
import type { Endpoint } from "../definition/definition.ts";
import { describeDefinition, readDocument } from "../definition/document.ts";
import { describeByField, type FieldProblem } from "../definition/field-problem.ts";
import { validateDocument } from "../definition/validate.ts";
import { changedFields } from "../versions/compare-versions.ts";
import { readVersion, requireVersion } from "../versions/versions.ts";
import type { EndpointRegistry } from "./endpoint-registry.ts";
import { checkReaders, readersOf } from "./endpoint-set.ts";
import type { EndpointStore, NewVersion } from "./endpoint-store.ts";
import { toNewVersion } from "./stored-endpoints.ts";

/** Who changes an endpoint, and which version it must have for that. */
export interface ChangeRequest {
  /** The public id of the token. */
  readonly author: string;
  /** True for a version that the change may build on; without it every one is. */
  readonly accepts?: ((version: number) => boolean) | undefined;
}

/** An endpoint that was changed. */
export interface ChangedEndpoint {
  readonly endpoint: Endpoint;
  /** False where the document was what it is: then there is no new version. */
  readonly isChanged: boolean;
}

/**
 * Changes of the endpoints that live in the store. They come one after the other; each is refused as a whole, with a
 * `ServiceError`, or is on disk and in effect when it resolves.
 */
export interface ManagedEndpoints {
  create(document: unknown, request: ChangeRequest): Promise<Endpoint>;
  /** The document in the place of the old one: what it leaves out has its default. */
  replace(reference: string, document: unknown, request: ChangeRequest): Promise<ChangedEndpoint>;
  /** The fields of the document in the place of the old ones; null for the default. */
  patch(reference: string, fields: Readonly<Record<string, unknown>>, request: ChangeRequest): Promise<ChangedEndpoint>;
  /** A new version with the document of an old one. By its id, an endpoint that was removed comes back this way. */
  rollback(reference: string, version: number, request: ChangeRequest): Promise<ChangedEndpoint>;
  /** Looks at a document as `create`, or as `replace` where there is an endpoint of its id, and changes nothing. */
  validate(document: unknown): Endpoint;
  remove(reference: string, request: ChangeRequest): Promise<Endpoint>;
  /** Runs something that no change comes between. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

export interface ManagedDependencies extends Pick<CompileDependencies, "engine" | "tables"> {
  readonly registry: EndpointRegistry;
  readonly store: EndpointStore;
}

export function createManagedEndpoints({ registry, store, ...compile }: ManagedDependencies): ManagedEndpoints {
  let last: Promise<unknown> = Promise.resolve();
  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };
  const othersOf = (id: string) => registry.endpoints.filter(({ definition }) => definition.id !== id);

  const validate = (document: unknown, id: string, isFixed: boolean): Endpoint => {
    const others = isFixed ? othersOf(id) : registry.endpoints;
    const checked = validateDocument(document, { id, isFixed }, { ...compile, others });
    if (checked.endpoint !== undefined) return checked.endpoint;
    throw notSaved(checked.problems, queryOf(document));
  };

  /** Saves what was found good, unless a reader would break. */
  const save = async (endpoint: Endpoint, base: number | undefined, version: NewVersion): Promise<Endpoint> => {
    const { id, name } = endpoint.definition;
    const swap = (saved: Endpoint) => checkReaders([...othersOf(id), saved], new Set([id]), compile);
    const broken = swap(endpoint).broken.map(({ endpoint: reader, problem }): FieldProblem => {
      const field = registry.find(id)?.definition.name === name ? "query" : "name";
      return { path: [field], message: `the endpoint ${reader.definition.name} reads this one: ${problem.message}` };
    });
    if (broken.length > 0) throw notSaved(broken, endpoint.definition.query);
    const number = await store.save(version, base);
    if (number === undefined) {
      throw new ServiceError("version_conflict", `The endpoint ${name} was changed at the same time`);
    }
    const saved = { ...endpoint, version: number };
    registry.replaceAll(swap(saved).endpoints);
    return saved;
  };

  const change = async (
    current: Endpoint,
    document: unknown,
    how: Pick<NewVersion, "author" | "action"> & { readonly rollbackTo?: number },
  ): Promise<ChangedEndpoint> => {
    const next = validate(document, current.definition.id, true);
    const changed = changedFields(current.definition, next.definition);
    if (changed.length === 0) return { endpoint: current, isChanged: false };
    return { endpoint: await save(next, current.version, toNewVersion(next, { ...how, changed })), isChanged: true };
  };

  /** The endpoint to be changed, where this may be. */
  const requireOwn = (reference: string, { accepts }: ChangeRequest): Endpoint => {
    const endpoint = registry.find(reference);
    if (endpoint === undefined) throw unknownEndpoint(reference);
    const { definition, origin, version } = endpoint;
    if (origin.kind === "file") {
      const message = `The endpoint ${definition.name} lives in the file ${origin.path}: change it there`;
      throw new ServiceError("endpoint_read_only", message);
    }
    if (accepts !== undefined && !accepts(version)) {
      const message = `The endpoint ${definition.name} is at version ${version}, which If-Match does not name`;
      throw new ServiceError("version_conflict", message, { currentVersion: version });
    }
    return endpoint;
  };

  return {
    create: (document, { author }) =>
      alone(async () => {
        const endpoint = validate(document, randomUUID(), false);
        return save(endpoint, undefined, toNewVersion(endpoint, { author, action: "create", changed: [] }));
      }),
    replace: (reference, document, request) =>
      alone(async () => change(requireOwn(reference, request), document, { author: request.author, action: "update" })),
    patch: (reference, fields, request) =>
      alone(async () => {
        const current = requireOwn(reference, request);
        const { problems, fields: given } = readDocument(fields, { isPartial: true });
        if (problems.length > 0) throw notSaved(problems, queryOf(fields));
        const document = { ...describeDefinition(current.definition), ...given };
        return change(current, document, { author: request.author, action: "update" });
      }),
    rollback: (reference, version, request) =>
      alone(async () => {
        const how = { author: request.author, action: "rollback", rollbackTo: version } as const;
        const id = registry.find(reference) === undefined && isUuid(reference) ? reference.toLowerCase() : undefined;
        const deleted = id === undefined ? undefined : await store.version(id, version);
        if (deleted !== undefined) {
          const endpoint = validate(JSON.parse(deleted.document), deleted.endpointId, true);
          return {
            endpoint: await save(endpoint, undefined, toNewVersion(endpoint, { ...how, changed: [] })),
            isChanged: true,
          };
        }
        const current = requireOwn(reference, request);
        const { definition } = readVersion(await requireVersion(store, current, version));
        return change(current, describeDefinition(definition), how);
      }),
    validate(document) {
      const { id } = readDocument(document).fields;
      const isKnown = id !== undefined && registry.find(id)?.origin.kind === "api";
      return validate(document, isKnown ? id.toLowerCase() : randomUUID(), isKnown);
    },
    remove: (reference, request) =>
      alone(async () => {
        const current = requireOwn(reference, request);
        const { id, name } = current.definition;
        const readers = readersOf(id, registry.endpoints).map(({ definition }) => definition.name);
        if (readers.length > 0) {
          throw new ServiceError("endpoint_in_use", `The endpoint ${name} is read by ${readers.join(", ")}`);
        }
        if (!(await store.remove(id, current.version))) {
          throw new ServiceError("version_conflict", `The endpoint ${name} was changed at the same time`);
        }
        registry.remove(id);
        return current;
      }),
    alone,
  };
}

/** The error for a name or id that no endpoint has. */
export function unknownEndpoint(reference: string): ServiceError {
  return new ServiceError("unknown_endpoint", `There is no endpoint ${reference.slice(0, 200)}`);
}

/** True for the form that ids have. */
export function isUuid(text: string): boolean {
  return /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/.test(text);
}

function queryOf(document: unknown): string {
  const { query } = (document ?? {}) as { readonly query?: unknown };
  return typeof query === "string" ? query : "";
}

function notSaved(problems: readonly FieldProblem[], query: string): ServiceError {
  const fields = describeByField(problems, query);
  const [[field, [text = ""] = []] = ["", []]] = Object.entries(fields);
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return new ServiceError("validation_failed", `The endpoint was not saved: ${field}: ${text}${more}`, { fields });
}
