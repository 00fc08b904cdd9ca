import { randomUUID } from "node:crypto";
import { createSerialQueue } from "../../shared/concurrency/serial-queue.ts";
import { refuseDocument } from "../../shared/documents/document-form.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { CompileDependencies } from "../call/plan/compile-query.ts";
import type { Endpoint } from "../definition/definition.ts";
import { describeDefinition, readDocument } from "../definition/document.ts";
import { describeByField, type FieldProblem } from "../definition/field-problem.ts";
import { isUuid } from "../definition/header.ts";
import { validateDocument } from "../definition/validate.ts";
import { changedFields } from "../versions/compare-versions.ts";
import { readVersion, requireVersion } from "../versions/versions.ts";
import type { EndpointRegistry } from "./endpoint-registry.ts";
import { checkReaders, readersOf } from "./endpoint-set.ts";
import type { EndpointStore, NewVersion } from "./endpoint-store.ts";
import { toNewVersion } from "./stored-endpoints.ts";

/** The author of a change, and the version that the endpoint must have for it. */
export interface ChangeRequest {
  /** The public id of the token. */
  readonly author: string;
  /** True for a version that the change may build on; without it every one is. */
  readonly accepts?: ((version: number) => boolean) | undefined;
}

/** An endpoint that was changed. */
export interface ChangedEndpoint {
  readonly endpoint: Endpoint;
  /** False when the document is unchanged: then there is no new version. */
  readonly isChanged: boolean;
}

export interface ManagedDependencies extends Pick<CompileDependencies, "engine" | "tables"> {
  readonly registry: EndpointRegistry;
  readonly store: EndpointStore;
  /** Runs a change exclusively among the services on the store; immediately if there is only one. */
  readonly exclusively?: Exclusively;
}

/** `isPatient`: waits longer for others, as at a start. */
type Exclusively = <T>(work: () => Promise<T>, isPatient?: boolean) => Promise<T>;

/**
 * Changes of the endpoints that live in the store. They come one after the other; each is refused as a whole, with a
 * `ServiceError`, or is on disk and in effect when it resolves.
 */
export class ManagedEndpoints {
  readonly #registry: EndpointRegistry;
  readonly #store: EndpointStore;
  readonly #compile: Pick<CompileDependencies, "engine" | "tables">;
  readonly #exclusively: Exclusively;
  /** Runs work that no change can interleave with. */
  readonly alone = createSerialQueue();

  constructor({ registry, store, exclusively, ...compile }: ManagedDependencies) {
    this.#exclusively = exclusively ?? ((work) => work());
    this.#registry = registry;
    this.#store = store;
    this.#compile = compile;
  }

  create(document: unknown, { author }: ChangeRequest): Promise<Endpoint> {
    return this.#inTurn(async () => {
      const endpoint = this.#check(document, randomUUID(), false);
      return this.#save(endpoint, undefined, toNewVersion(endpoint, { author, action: "create", changed: [] }));
    });
  }

  /** Replaces the document: omitted fields get their defaults. */
  replace(reference: string, document: unknown, request: ChangeRequest): Promise<ChangedEndpoint> {
    return this.#inTurn(async () => {
      return this.#change(this.#requireOwn(reference, request), document, { author: request.author, action: "update" });
    });
  }

  /** Changes fields of the document; null stands for the default. */
  patch(
    reference: string,
    fields: Readonly<Record<string, unknown>>,
    request: ChangeRequest,
  ): Promise<ChangedEndpoint> {
    return this.#inTurn(async () => {
      const current = this.#requireOwn(reference, request);
      const { problems, fields: given } = readDocument(fields, { isPartial: true });
      if (problems.length > 0) throw notSaved(problems, queryOf(fields));
      const document = { ...describeDefinition(current.definition), ...given };
      return this.#change(current, document, { author: request.author, action: "update" });
    });
  }

  /** A new version with the document of an old one. By its id, an endpoint that was removed comes back this way. */
  rollback(reference: string, version: number, request: ChangeRequest): Promise<ChangedEndpoint> {
    return this.#inTurn(async () => {
      const how = { author: request.author, action: "rollback", rollbackTo: version } as const;
      const restored = await this.#restore(reference, version, how);
      if (restored !== undefined) return { endpoint: restored, isChanged: true };
      const current = this.#requireOwn(reference, request);
      const { definition } = readVersion(await requireVersion(this.#store, current, version));
      return this.#change(current, describeDefinition(definition), how);
    });
  }

  /** Looks at a document as `create`, or as `replace` where there is an endpoint of its id, and changes nothing. */
  validate(document: unknown): Endpoint {
    const { id } = readDocument(document).fields;
    const isKnown = id !== undefined && this.#registry.find(id)?.origin.kind === "api";
    return this.#check(document, isKnown ? id.toLowerCase() : randomUUID(), isKnown);
  }

  remove(reference: string, request: ChangeRequest): Promise<Endpoint> {
    return this.#inTurn(async () => {
      const current = this.#requireOwn(reference, request);
      const { id, name } = current.definition;
      const readers = readersOf(id, this.#registry.endpoints).map(({ definition }) => definition.name);
      if (readers.length > 0) {
        throw new ServiceError("endpoint_in_use", `The endpoint ${name} is read by ${readers.join(", ")}`);
      }
      if (!(await this.#store.remove(id, current.version))) throw changedMeanwhile(name);
      this.#registry.remove(id);
      return current;
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#exclusively(() => this.alone(work));
  }

  #othersOf(id: string): readonly Endpoint[] {
    return this.#registry.endpoints.filter(({ definition }) => definition.id !== id);
  }

  /** The endpoint that a document describes. */
  #check(document: unknown, id: string, isFixed: boolean): Endpoint {
    const others = isFixed ? this.#othersOf(id) : this.#registry.endpoints;
    const checked = validateDocument(document, { id, isFixed }, { ...this.#compile, others });
    if (checked.endpoint !== undefined) return checked.endpoint;
    throw notSaved(checked.problems, queryOf(document));
  }

  /** The endpoint to be changed, if this is allowed. */
  #requireOwn(reference: string, { accepts }: ChangeRequest): Endpoint {
    const endpoint = requireEndpoint(this.#registry, reference);
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
  }

  async #change(current: Endpoint, document: unknown, how: ChangeKind): Promise<ChangedEndpoint> {
    const next = this.#check(document, current.definition.id, true);
    const changed = changedFields(current.definition, next.definition);
    if (changed.length === 0) return { endpoint: current, isChanged: false };
    const version = toNewVersion(next, { ...how, changed });
    return { endpoint: await this.#save(next, current.version, version), isChanged: true };
  }

  /** An endpoint that was removed, as it was at a version; undefined where the reference is not the id of one. */
  async #restore(reference: string, version: number, how: ChangeKind): Promise<Endpoint | undefined> {
    if (this.#registry.find(reference) !== undefined || !isUuid(reference)) return undefined;
    const deleted = await this.#store.version(reference.toLowerCase(), version);
    if (deleted === undefined) return undefined;
    const endpoint = this.#check(JSON.parse(deleted.document), deleted.endpointId, true);
    return this.#save(endpoint, undefined, toNewVersion(endpoint, { ...how, changed: [] }));
  }

  /** Saves a valid change, unless it would break a reader. */
  async #save(endpoint: Endpoint, base: number | undefined, version: NewVersion): Promise<Endpoint> {
    const { id, name } = endpoint.definition;
    const swap = (saved: Endpoint) => checkReaders([...this.#othersOf(id), saved], new Set([id]), this.#compile);
    const broken = (await swap(endpoint)).broken.map(({ endpoint: reader, problem }): FieldProblem => {
      const field = this.#registry.find(id)?.definition.name === name ? "query" : "name";
      return { path: [field], message: `the endpoint ${reader.definition.name} reads this one: ${problem.message}` };
    });
    if (broken.length > 0) throw notSaved(broken, endpoint.definition.query);
    const number = await this.#store.save(version, base);
    if (number === undefined) throw changedMeanwhile(name);
    const saved = { ...endpoint, version: number };
    this.#registry.replaceAll((await swap(saved)).endpoints);
    return saved;
  }
}

type ChangeKind = Pick<NewVersion, "author" | "action"> & { readonly rollbackTo?: number };

function changedMeanwhile(name: string): ServiceError {
  return new ServiceError("version_conflict", `The endpoint ${name} was changed at the same time`);
}

/** The error for a name or id that no endpoint has. */
export function unknownEndpoint(reference: string): ServiceError {
  return new ServiceError("unknown_endpoint", `There is no endpoint ${reference.slice(0, 200)}`);
}

/** The endpoint of an id or name. Throws `unknown_endpoint`. */
export function requireEndpoint(endpoints: Pick<EndpointRegistry, "find">, reference: string): Endpoint {
  const endpoint = endpoints.find(reference);
  if (endpoint === undefined) throw unknownEndpoint(reference);
  return endpoint;
}

function queryOf(document: unknown): string {
  const { query } = (document ?? {}) as { readonly query?: unknown };
  return typeof query === "string" ? query : "";
}

function notSaved(problems: readonly FieldProblem[], query: string): ServiceError {
  const fields = describeByField(problems, query);
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return refuseDocument("The endpoint was not saved", fields, more);
}
