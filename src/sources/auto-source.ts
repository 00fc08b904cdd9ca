import type { ManagedSources } from "./managed-sources.ts";
import { ownNamePrefix, type Source, sourceId } from "./source.ts";
import type { SourceRegistry } from "./source-registry.ts";

export interface AutoSourceOptions {
  readonly registry: Pick<SourceRegistry, "sources" | "find">;
  readonly managedSources: Pick<ManagedSources, "create">;
  /** Sources of the API beyond which no more are made; 0 makes none. */
  readonly maxCount: number;
  /** Called with who made which. */
  readonly audit: { record(made: MadeSource): void };
}

interface MadeSource {
  readonly action: "source.create";
  readonly actor: string;
  readonly target: string;
  readonly targetId: string;
}

/** Makes the source of a name, for the token that first sends events to it. */
export type AutoSource = (name: string, actor: string) => Promise<Source | undefined>;

/** Names that a source can have, and that a misdirected request is not likely to bring. */
const namePattern = /^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/;

/** Makes sources on first use: undefined where the name cannot be a source's, or there are enough. */
export function createAutoSource(options: AutoSourceOptions): AutoSource {
  const { registry, managedSources, maxCount, audit } = options;
  // Requests that bring the same new name at once make one source.
  const making = new Map<string, Promise<Source | undefined>>();
  const make = async (name: string, actor: string) => {
    const count = registry.sources.filter(({ origin }) => origin?.kind === "api").length;
    if (count + making.size >= maxCount) return undefined;
    const description = "Made when events were first sent to it";
    const document = { name, kind: "auto", description, tenant: "project", fields: { project: "STRING" } };
    try {
      const source = await managedSources.create(document);
      audit.record({ action: "source.create", actor, target: name, targetId: sourceId(name) });
      return source;
    } catch (error) {
      // Another service may have made it meanwhile.
      const known = registry.find(name);
      if (known === undefined) throw error;
      return known;
    }
  };
  return async (name, actor) => {
    if (maxCount === 0 || !namePattern.test(name) || name.toLowerCase().startsWith(ownNamePrefix)) return undefined;
    const known = making.get(name) ?? registry.find(name);
    if (known !== undefined) return known;
    const made = make(name, actor).finally(() => making.delete(name));
    making.set(name, made);
    return made;
  };
}
