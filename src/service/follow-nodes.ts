import type { ManagedSources } from "../sources/managed-sources.ts";
import type { OpenedAlerts } from "./open-alerts.ts";
import type { OpenEndpoints } from "./open-endpoints.ts";
import type { Storage } from "./open-storage.ts";

interface Followed
  extends Pick<Storage, "nodes" | "sources" | "readSources" | "draining">,
    Pick<OpenEndpoints, "noteStore" | "cache"> {
  readonly managedSources: Pick<ManagedSources, "exclusively">;
  readonly alerting: Pick<OpenedAlerts, "takeOver">;
}

/** Applies changes of other nodes from now on, including those since the last read. */
export function followNodes(followed: Followed): void {
  const { nodes, sources, readSources, draining, noteStore, cache, managedSources, alerting } = followed;
  nodes.onChange("sources", () =>
    managedSources.exclusively(async () => {
      // Files are read again only on request.
      const next = await readSources(sources.sources.filter(({ origin }) => (origin?.kind ?? "file") === "file"));
      if (JSON.stringify(next) === JSON.stringify(sources.sources)) return;
      await sources.prepare(next);
      sources.replace(next);
    }),
  );
  nodes.onChange("endpoints", noteStore);
  nodes.onChange("cache", async () => void cache.clear());
  nodes.onChange("drains", () => draining.takeOver());
  nodes.onChange("alerts", () => alerting.takeOver());
}
