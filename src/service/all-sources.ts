import type { Settings } from "../config/settings.ts";
import type { SourceStore } from "../metadata/source-store.ts";
import { createAuditSource } from "../sources/audit-source.ts";
import { loadSources } from "../sources/load-sources.ts";
import type { Source } from "../sources/source.ts";
import { joinSources } from "../sources/source-changes.ts";
import { type SourceDocument, toSource } from "../sources/source-document.ts";

/**
 * All sources: of the files, of the API, and the service's own. `warn` is called when one of the API is overridden by a
 * file. Throws `SourceFileError` as `loadSources` does, unless the sources of the files are given.
 */
export async function loadAllSources(
  settings: Pick<Settings, "sourceFolders" | "auditRetentionDays">,
  store: Pick<SourceStore, "list">,
  warn: (message: string) => void,
  loaded?: readonly Source[],
): Promise<readonly Source[]> {
  const files = loaded ?? (await loadSources(settings.sourceFolders));
  const stored = (await store.list()).map(({ document }) =>
    toSource(JSON.parse(document) as SourceDocument, { kind: "api" }, ""),
  );
  const { sources, lost } = joinSources(files, stored);
  for (const text of lost) warn(text);
  return [...sources, createAuditSource(settings.auditRetentionDays)];
}
