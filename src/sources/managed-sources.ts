import type { EventStore } from "../engines/contract/query-engine.ts";
import { createSerialQueue, orUndo } from "../shared/concurrency/serial-queue.ts";
import { refuseDocument } from "../shared/documents/document-form.ts";
import { ServiceError } from "../shared/errors.ts";
import type { Source } from "./source.ts";
import { readSource } from "./source-changes.ts";
import { toDocument } from "./source-document.ts";
import { changedNames, type SourceRegistry } from "./source-registry.ts";
import type { SourceTables } from "./source-tables.ts";

/** A source's document as sent, not yet validated. */
type SentDocument = Readonly<Record<string, unknown>>;

/** The sources as the API changes them. One change comes after the other, and takes effect at once. */
export interface ManagedSources {
  /** Throws `validation_failed`. */
  create(sent: SentDocument): Promise<Source>;
  /** Throws `validation_failed`, `source_read_only` and `source_in_use`. A patch keeps what the document leaves out. */
  change(name: string, sent: SentDocument, isPatch: boolean): Promise<Source>;
  /**
   * Removes the source and its events. What fails in between leaves the source, with all of its events or none.
   * Throws `source_read_only` and `source_in_use`.
   */
  remove(name: string): Promise<Source>;
  /** Runs something else between changes. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
}

export interface ManagedSourcesOptions {
  readonly registry: SourceRegistry;
  readonly events: Pick<EventStore, "dropSource">;
  /** Where the documents are kept, as JSON by the source's name. */
  readonly documents: {
    put(source: { readonly name: string; readonly document: string }): Promise<void>;
    remove(name: string): Promise<void>;
  };
  readonly isEndpoint: (name: string) => boolean;
  /** Names of endpoints that would not run with these tables, of which those of these names are others. */
  readonly findBroken: (tables: SourceTables, changed: ReadonlySet<string>) => Promise<readonly string[]>;
  /** Runs a change while no other service on the documents runs one; where there is none, at once. */
  readonly amongServices?: <T>(work: () => Promise<T>) => Promise<T>;
}

export function createManagedSources(options: ManagedSourcesOptions): ManagedSources {
  const { registry, documents, isEndpoint, amongServices = (work) => work() } = options;
  const exclusively = createSerialQueue();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => amongServices(() => exclusively(work));

  const save = async (source: Source, others: readonly Source[]) => {
    const sources = [...others, source];
    await registry.attempt(sources, async (tables) => {
      await check(options, tables, sources);
      await documents.put({ name: source.name, document: JSON.stringify(toDocument(source)) });
    });
    registry.replace(sources);
  };

  return {
    exclusively,
    create: (sent) =>
      inTurn(async () => {
        const read = readSource(sent, { sources: registry.sources, isEndpoint });
        if ("problems" in read) throw refuseDocument("The source was not saved", read.problems);
        await save(read.source, registry.sources);
        return read.source;
      }),
    change: (name, sent, isPatch) =>
      inTurn(async () => {
        const before = findChangeable(registry, name);
        const read = readSource(sent, { sources: registry.sources, isEndpoint }, before, isPatch);
        if ("problems" in read) throw refuseDocument("The source was not saved", read.problems);
        await save(
          read.source,
          registry.sources.filter((each) => each !== before),
        );
        return read.source;
      }),
    remove: (name) =>
      inTurn(async () => {
        const source = findChangeable(registry, name);
        await drop(options, source);
        return source;
      }),
  };
}

/** Throws where an endpoint would not run with these tables. */
async function check(
  { registry, findBroken }: ManagedSourcesOptions,
  tables: SourceTables,
  sources: readonly Source[],
): Promise<void> {
  const broken = await findBroken(tables, changedNames(registry.sources, sources));
  if (broken.length === 0) return;
  throw new ServiceError("source_in_use", `These endpoints would no longer run: ${broken.join(", ")}`);
}

/**
 * The document goes last: whatever interrupts this, a source whose events are left is still there, and can be deleted
 * again.
 */
async function drop(options: ManagedSourcesOptions, source: Source): Promise<void> {
  const { registry, events, documents } = options;
  const before = registry.sources;
  const others = before.filter((each) => each !== source);
  await check(options, await registry.prepare(others), others);
  registry.replace(others);
  await orUndo(
    async () => {
      await events.dropSource(source.name);
      await documents.remove(source.name);
    },
    () => registry.prepare(before).finally(() => registry.replace(before)),
  );
}

function findChangeable(registry: SourceRegistry, name: string): Source {
  const source = registry.find(name);
  if (source === undefined) throw new ServiceError("unknown_source", `There is no source ${name.slice(0, 200)}`);
  const { origin = { kind: "file", path: "its file" } } = source;
  if (origin.kind === "api") return source;
  if (origin.kind === "file") {
    throw new ServiceError("source_read_only", `The source ${source.name} is kept in ${origin.path}`);
  }
  throw new ServiceError("source_read_only", `The source ${source.name} is the service's own`, {
    hint: "The configuration says how long its events are kept.",
  });
}
