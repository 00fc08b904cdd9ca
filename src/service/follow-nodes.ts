import type { ManagedSources } from "../sources/managed-sources.ts";
import type { OpenEndpoints } from "./open-endpoints.ts";
import type { Storage } from "./open-storage.ts";

interface Followed
  extends Pick<Storage, "nodes" | "sources" | "readSources" | "draining">,
    Pick<OpenEndpoints, "noteStore" | "cache"> {
  readonly managedSources: Pick<ManagedSources, "exclusively">;
}

/** Takes over what other nodes change from now on, and what they changed since it was read. */
export function followNodes(followed: Followed): void {
  const { nodes, sources, readSources, draining, noteStore, cache, managedSources } = followed;
  nodes.onChange("sources", () =>
    managedSources.exclusively(async () => {
      // The files are read when somebody asks for it.
      const next = await readSources(sources.sources.filter(({ origin }) => (origin?.kind ?? "file") === "file"));
      if (JSON.stringify(next) === JSON.stringify(sources.sources)) return;
      await sources.prepare(next);
      sources.replace(next);
    }),
  );
  nodes.onChange("endpoints", noteStore);
  nodes.onChange("cache", async () => void cache.clear());
  nodes.onChange("drains", () => draining.takeOver());
}
