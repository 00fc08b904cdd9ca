import { join } from "node:path";
import type { FixedToken } from "../access/authenticator.ts";
import type { TokenStore } from "../access/token.ts";
import type { Configuration } from "../config/config.ts";
import type { Settings } from "../config/settings.ts";
import type { EndpointRegistry } from "../endpoints/management/endpoint-registry.ts";
import type { Engine } from "../engines/contract/query-engine.ts";
import { type EngineSizes, engineCapabilities, openEngine } from "../engines/index.ts";
import { createLogger } from "../http/observe/logger.ts";
import type { Nodes } from "../metadata/nodes.ts";
import { UserError } from "../shared/user-error.ts";
import { loadSources } from "../sources/load-sources.ts";
import { followNodes } from "./follow-nodes.ts";
import { openAudit } from "./open-audit.ts";
import { openEndpoints } from "./open-endpoints.ts";
import { openForgetting } from "./open-forgetting.ts";
import { openHttp } from "./open-http.ts";
import { openStorage, type Storage } from "./open-storage.ts";
import { keepFilesPrivate } from "./private-files.ts";
import { beginRun, type Run } from "./run.ts";
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
  /**
   * Stops accepting calls, waits for running ones (no longer than `shutdown_timeout_ms`), and releases everything. The
   * last line of the log says why: `reason` is a signal's name, or `stop`.
   */
  stop(reason?: string): Promise<void>;
  /** Logs the last line of a process that ends at once, in the middle of whatever it does, and writes the log. */
  endAtOnce(reason: string): void;
}

/** Options that are no settings: those of the demo and of tests. */
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
    steadyMs: options.nowMs ?? (() => performance.now()),
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
  // Before anything is opened: a file with an error stops the start.
  const sourcesOfFiles = await loadSources(start.settings.sourceFolders);
  await keepFilesPrivate(start.settings.dataDir, (message) => start.logger.warn(message));
  const storage = await openStorage(start, sourcesOfFiles);
  // Once the store is locked: another service on the folder has a run of its own.
  const run = beginRun(start);
  try {
    return await openRest(start, storage, run, closeAll);
  } catch (error) {
    run.endAtOnce("the start failed");
    throw explainDamage(error, start.settings);
  }
}

/** Words the failure to read what the metadata hold: other texts have parsers that say where they are wrong. */
function explainDamage(error: unknown, { dataDir, metadataUrl }: Settings): unknown {
  const isDamage =
    error instanceof SyntaxError || (error instanceof Error && "code" in error && error.code === "SQLITE_CORRUPT");
  if (!isDamage) return error;
  const place = metadataUrl === undefined ? join(dataDir, "metadata.db") : "The database of LOGWEIR_METADATA_URL";
  return new UserError(
    `${place} is damaged: what it holds cannot be read (${error.message}); nothing was changed. Bring a backup back ` +
      "with `logweir restore`",
    { cause: error },
  );
}

async function openRest(
  start: Start,
  storage: Storage,
  { stop, endAtOnce }: Run,
  closeAll: () => Promise<void>,
): Promise<RunningService> {
  const { settings } = start;
  const endpoints = await openEndpoints(start, storage);
  const audit = await openAudit(start, storage, endpoints.dataThrough);
  const forgetting = openForgetting(start, { ...storage, ...endpoints });
  const { app, shutdown, reload, managedSources, alerting } = await openHttp(start, {
    ...storage,
    ...endpoints,
    audit,
    forgetting,
  });
  followNodes({ ...storage, ...endpoints, managedSources, alerting });
  const url = await app.listen({ host: settings.host, port: settings.port });
  return {
    url,
    engine: storage.plainEngine,
    endpoints: endpoints.endpoints,
    tokens: storage.tokens,
    nodes: storage.nodes,
    reload: () => reload("files").catch(() => undefined),
    stop: (reason = "stop") =>
      stop(reason, async () => {
        await shutdown.stop(settings.shutdownTimeoutMs);
        await closeAll();
      }),
    endAtOnce,
  };
}

function tokensOf({ privateToken, publicToken, apiKey }: Settings): readonly FixedToken[] {
  const tokens: FixedToken[] = [];
  if (privateToken !== undefined) tokens.push({ id: "private_token", secret: privateToken, scopes: ["private"] });
  if (publicToken !== undefined) tokens.push({ id: "public_token", secret: publicToken, scopes: ["ingest"] });
  if (apiKey !== undefined) tokens.push({ id: "api_key", secret: apiKey, scopes: ["query", "ingest"] });
  return tokens;
}
