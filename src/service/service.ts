import type { FixedToken } from "../access/authenticator.ts";
import type { TokenStore } from "../access/token.ts";
import type { Configuration } from "../config/config.ts";
import type { Settings } from "../config/settings.ts";
import type { EndpointRegistry } from "../endpoints/management/endpoint-registry.ts";
import type { Engine } from "../engines/contract/query-engine.ts";
import { type EngineSizes, engineCapabilities, openEngine } from "../engines/index.ts";
import { createLogger } from "../http/observe/logger.ts";
import type { Nodes } from "../metadata/nodes.ts";
import { loadSources } from "../sources/load-sources.ts";
import { followNodes } from "./follow-nodes.ts";
import { openAudit } from "./open-audit.ts";
import { openEndpoints } from "./open-endpoints.ts";
import { openHttp } from "./open-http.ts";
import { openStorage } from "./open-storage.ts";
import type { Start } from "./start.ts";

/** A running service. */
export interface RunningService {
  /** Where it does, e.g. `http://127.0.0.1:4000`. */
  readonly url: string;
  readonly engine: Engine;
  readonly endpoints: EndpointRegistry;
  readonly tokens: TokenStore;
  readonly nodes: Nodes;
  /** Reads the files of endpoints and sources again. Problems are logged, and the previous state stays. */
  reload(): Promise<unknown>;
  /** Stops accepting calls, waits for running ones (no longer than `shutdown_timeout_ms`), and releases everything. */
  stop(): Promise<void>;
}

/** What is not configured: of the demo, and of tests. */
export interface ServiceOptions {
  /** Valid for this run only. */
  readonly extraTokens?: readonly FixedToken[];
  readonly engineSizes?: EngineSizes;
  /** In place of the engine of the settings. */
  readonly openEngine?: Start["openEngine"];
  /** Whether several nodes see the same events; as the engine of the settings says unless given. */
  readonly isEngineShared?: boolean;
  /** Milliseconds since 1970; the machine's clock unless given. */
  readonly nowMs?: () => number;
}

/**
 * Starts the service: reads and checks every file, opens the store, and listens. On any error it throws, and leaves
 * nothing running.
 */
export async function startService(
  { settings, warnings = [] }: Configuration,
  options: ServiceOptions = {},
): Promise<RunningService> {
  const logger = createLogger(settings.logLevel);
  for (const warning of warnings) logger.warn(warning);
  const fixedTokens = [...tokensOf(settings), ...(options.extraTokens ?? [])];
  const start: Start = {
    settings,
    fixedTokens,
    engineSizes: options.engineSizes ?? {},
    openEngine: options.openEngine ?? openEngine,
    isEngineShared: options.isEngineShared ?? !engineCapabilities(settings.engineServer).hasLocalFiles,
    nowMs: options.nowMs ?? Date.now,
    logger,
    closers: [],
  };
  const closeAll = async () => {
    for (const close of start.closers.reverse()) await close();
  };
  try {
    return await openService(start, closeAll);
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function openService(start: Start, closeAll: () => Promise<void>): Promise<RunningService> {
  const { settings } = start;
  // Before anything is opened: a file with an error stops the start.
  const sourcesOfFiles = await loadSources(settings.sourceFolders);
  const storage = await openStorage(start, sourcesOfFiles);
  const endpoints = await openEndpoints(start, storage);
  const audit = await openAudit(start, storage, endpoints.dataThrough);
  const { app, drain, reload, managedSources } = await openHttp(start, { ...storage, ...endpoints, audit });
  followNodes({ ...storage, ...endpoints, managedSources });
  const url = await app.listen({ host: settings.host, port: settings.port });
  return {
    url,
    engine: storage.plainEngine,
    endpoints: endpoints.endpoints,
    tokens: storage.tokens,
    nodes: storage.nodes,
    reload: () => reload("files").catch(() => undefined),
    async stop() {
      await drain.stop(settings.shutdownTimeoutMs);
      await closeAll();
    },
  };
}

function tokensOf({ privateToken, publicToken, apiKey }: Settings): readonly FixedToken[] {
  const tokens: FixedToken[] = [];
  if (privateToken !== undefined) tokens.push({ id: "private_token", secret: privateToken, scopes: ["private"] });
  if (publicToken !== undefined) tokens.push({ id: "public_token", secret: publicToken, scopes: ["ingest"] });
  if (apiKey !== undefined) tokens.push({ id: "api_key", secret: apiKey, scopes: ["query", "ingest"] });
  return tokens;
}
