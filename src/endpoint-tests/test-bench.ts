import { basename } from "node:path";
import type { EndpointLookup } from "../endpoints/call/plan/endpoint-tables.ts";
import { lookupOf } from "../endpoints/definition/check-endpoint.ts";
import { loadEndpoints } from "../endpoints/definition/load-endpoints.ts";
import type { Engine } from "../engines/contract/query-engine.ts";
import { openMemoryEngine } from "../engines/index.ts";
import { createAuditSource } from "../sources/audit-source.ts";
import { loadSources } from "../sources/load-sources.ts";
import { openSources, type SourceRegistry } from "../sources/source-registry.ts";
import type { EndpointsByFile } from "./load-tests.ts";

/** The endpoints of a folder over an engine in memory, whose tables of sources are empty. */
export interface TestBench {
  readonly engine: Engine;
  readonly sources: SourceRegistry;
  readonly endpoints: EndpointLookup;
  readonly byFile: EndpointsByFile;
  close(): Promise<void>;
}

/**
 * Reads the endpoints of a folder and the sources of some, and makes the sources' tables. Throws `SourceFileError` and
 * `EndpointFileError` for files that cannot be used.
 */
export async function openTestBench(endpointsDir: string, sourceFolders: readonly string[]): Promise<TestBench> {
  // Endpoints may read the audit too.
  const known = [...(await loadSources(sourceFolders)), createAuditSource(undefined)];
  const engine = await openMemoryEngine({ threads: 2 });
  try {
    const sources = await openSources(known, engine.store);
    const endpoints = await loadEndpoints([endpointsDir], { engine, tables: sources });
    const byFile = new Map(
      endpoints.map((endpoint) => {
        const { definition, origin } = endpoint;
        return [origin.kind === "file" ? basename(origin.path, ".sql") : definition.name, endpoint];
      }),
    );
    return { engine, sources, endpoints: lookupOf(endpoints), byFile, close: () => engine.close() };
  } catch (error) {
    await engine.close();
    throw error;
  }
}
