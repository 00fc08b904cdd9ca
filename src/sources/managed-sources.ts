import type { EventStore } from "../engines/contract/query-engine.ts";
import { ServiceError } from "../shared/errors.ts";
import type { Source } from "./source.ts";
import { readSource, type SourceProblems } from "./source-changes.ts";
import { toDocument } from "./source-document.ts";
import type { SourceRegistry } from "./source-registry.ts";
import type { SourceTables } from "./source-tables.ts";

/** What is sent as a source's document, not yet looked at. */
type SentDocument = Readonly<Record<string, unknown>>;

/** The sources as the API changes them. One change comes after the other, and takes effect at once. */
export interface ManagedSources {
  /** Throws `validation_failed`. */
  create(sent: SentDocument): Promise<Source>;
  /** Throws `validation_failed`, `source_read_only` and `source_in_use`. A patch keeps what the document leaves out. */
  change(name: string, sent: SentDocument, isPatch: boolean): Promise<Source>;
  /** Removes the source and its events. Throws `source_read_only` and `source_in_use`. */
  remove(name: string): Promise<Source>;
  /** Runs something else between changes. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
}

export interface ManagedSourcesOptions {
  readonly registry: SourceRegistry;
  readonly events: Pick<EventStore, "deleteBefore">;
  /** Where the documents are kept, as JSON by the source's name. */
  readonly documents: {
    put(source: { readonly name: string; readonly document: string }): Promise<void>;
    remove(name: string): Promise<void>;
  };
  readonly isEndpoint: (name: string) => boolean;
  /** Names of endpoints that would not run with these tables. */
  readonly findBroken: (tables: SourceTables) => readonly string[];
}

/** After every event: the first microsecond after the year 9999. */
const endOfTimeUs = 253_402_300_800_000_000n;

export function createManagedSources(options: ManagedSourcesOptions): ManagedSources {
  const { registry, events, documents, isEndpoint, findBroken } = options;
  let last: Promise<unknown> = Promise.resolve();
  const exclusively = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };

  /** Takes the sources over once every endpoint is known to run with them, and `keep` has kept the change. */
  const takeOver = async (sources: readonly Source[], keep: () => Promise<void>) => {
    const tables = await registry.prepare(sources);
    const broken = findBroken(tables);
    if (broken.length > 0) {
      throw new ServiceError("source_in_use", `These endpoints would no longer run: ${broken.join(", ")}`);
    }
    await keep();
    registry.replace(sources);
  };

  const save = (source: Source, others: readonly Source[]) => {
    const document = JSON.stringify(toDocument(source));
    return takeOver([...others, source], () => documents.put({ name: source.name, document }));
  };

  return {
    exclusively,
    create: (sent) =>
      exclusively(async () => {
        const read = readSource(sent, { sources: registry.sources, isEndpoint });
        if ("problems" in read) throw notSaved(read.problems);
        await save(read.source, registry.sources);
        return read.source;
      }),
    change: (name, sent, isPatch) =>
      exclusively(async () => {
        const before = findChangeable(registry, name);
        const read = readSource(sent, { sources: registry.sources, isEndpoint }, before, isPatch);
        if ("problems" in read) throw notSaved(read.problems);
        await save(
          read.source,
          registry.sources.filter((each) => each !== before),
        );
        return read.source;
      }),
    remove: (name) =>
      exclusively(async () => {
        const source = findChangeable(registry, name);
        await takeOver(
          registry.sources.filter((each) => each !== source),
          () => documents.remove(source.name),
        );
        await events.deleteBefore?.(source.name, endOfTimeUs);
        return source;
      }),
  };
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

function notSaved(fields: SourceProblems): ServiceError {
  const [[field, [text = ""] = []] = ["", []]] = Object.entries(fields);
  return new ServiceError("validation_failed", `The source was not saved: ${field}: ${text}`, { fields });
}
