import { once } from "node:events";
import { setFlagsFromString } from "node:v8";
import { createSecret } from "../../access/secret.ts";
import { nameBlamedSettings } from "../../config/blamed-settings.ts";
import { type Configuration, readConfiguration } from "../../config/config.ts";
import { fillWithSampleEvents } from "../../demo/fill-with-sample-events.ts";
import type { Endpoint } from "../../endpoints/definition/definition.ts";
import { EngineError } from "../../engines/contract/query-engine.ts";
import { type RunningService, startService } from "../../service/service.ts";
import { collectAtRest } from "../../shared/system/collect-at-rest.ts";
import { holdTickShape } from "../../shared/system/tick-shape.ts";
import { UserError } from "../../shared/user-error.ts";
import { auditSourceName } from "../../sources/audit-source.ts";
import { type CliContext, print } from "../context.ts";
import { createProgressBar } from "../output/progress-bar.ts";

interface ServeOptions {
  /** Fill an empty store with a day of sample events. */
  readonly demo?: boolean;
}

/**
 * The percentage by which the old generation may grow before it is collected. V8's own default allows up to four times
 * as much.
 */
const heapGrowingPercent = 100;

/**
 * Runs the service until SIGTERM or SIGINT, which stop it once running calls are answered. A second signal ends the
 * process at once. SIGHUP reloads the files of endpoints and sources. Whatever ends the process, the log's last line
 * says so, if a line can still be written.
 */
export async function serve(context: CliContext, _: unknown, options: ServeOptions): Promise<void> {
  const tickShape = holdTickShape();
  setFlagsFromString(`--heap-growing-percent=${heapGrowingPercent}`);
  const configuration = quietForDemo(readConfiguration(context, context.environment), options);
  const demoToken = { id: "demo", secret: createSecret(), scopes: ["ingest"] };
  const extraTokens = options.demo === true ? [demoToken] : [];
  const service = await startService(configuration, { extraTokens }).catch((error: unknown) => {
    throw nameSettings(error, configuration, context);
  });
  const stopCollecting = collectAtRest();
  const ended = new AbortController();
  const signalled = waitForSignal(ended.signal);
  const reload = () => {
    if (!ended.signal.aborted) void service.reload();
  };
  process.on("SIGHUP", reload);
  const stopNoting = noteSuddenEnds(service);
  let reason = "stop";
  try {
    await Promise.race([
      greet(service, configuration, options.demo === true ? demoToken.secret : undefined, context),
      signalled,
    ]);
    reason = (await signalled) ?? reason;
  } finally {
    ended.abort();
    stopCollecting();
    const stopWaiting = endAtSecondSignal(service);
    await service.stop(reason);
    stopWaiting();
    stopNoting();
    process.off("SIGHUP", reload);
    tickShape.release();
  }
}

/** A failure that is told by its message, with the settings that it is about. */
function nameSettings(error: unknown, configuration: Configuration, { workingDir }: CliContext): unknown {
  if (!(error instanceof Error && (error instanceof UserError || "code" in error))) return error;
  const { urls } = configuration.settings.engineServer ?? {};
  const place = error instanceof EngineError && urls !== undefined ? `${urls.join(", ")}: ` : "";
  return new UserError(nameBlamedSettings(`${place}${error.message}`, configuration, workingDir), { cause: error });
}

const endingSignals = ["SIGTERM", "SIGINT"] as const;

/** Resolves with the first SIGTERM or SIGINT, and with nothing when it is no longer waited for. */
async function waitForSignal(ended: AbortSignal): Promise<string | undefined> {
  const signals = endingSignals.map((name) => once(process, name, { signal: ended }).then(() => name));
  return Promise.race(signals).catch((error: unknown) => {
    if (!ended.aborted) throw error;
    return undefined;
  });
}

/** Has another signal end the process as if nothing waited for it, but for the last line of the log. */
function endAtSecondSignal(service: RunningService): () => void {
  const end = (signal: NodeJS.Signals) => {
    service.endAtOnce(`a second signal, ${signal}`);
    stop();
    process.kill(process.pid, signal);
  };
  const stop = () => {
    for (const name of endingSignals) process.off(name, end);
  };
  for (const name of endingSignals) process.once(name, end);
  return stop;
}

/** Logs an error that nothing caught, which ends the process, and an end that nothing announced. */
function noteSuddenEnds(service: RunningService): () => void {
  const noteError = (error: unknown, origin: string) => {
    // Its message may hold a caller's values; Node.js prints it to standard error.
    service.endAtOnce(`${origin} of ${error instanceof Error ? error.name : typeof error}`);
  };
  const noteExit = (code: number) => service.endAtOnce(`the process exits with the code ${code}`);
  process.on("uncaughtExceptionMonitor", noteError);
  process.prependListener("exit", noteExit);
  return () => {
    process.off("uncaughtExceptionMonitor", noteError);
    process.off("exit", noteExit);
  };
}

async function greet(
  service: RunningService,
  configuration: Configuration,
  demoToken: string | undefined,
  context: CliContext,
): Promise<void> {
  if (demoToken !== undefined) await fillEmptyStore(service, demoToken, context);
  await printWelcome(service, configuration, demoToken !== undefined, context);
}

/** A line for each request of the filling would tear the progress bar apart. */
function quietForDemo(configuration: Configuration, options: ServeOptions): Configuration {
  const level = configuration.effective.find((each) => each.definition.name === "log_level");
  if (options.demo !== true || level?.origin !== "default") return configuration;
  return { ...configuration, settings: { ...configuration.settings, logLevel: "warn" } };
}

async function fillEmptyStore(service: RunningService, token: string, context: CliContext): Promise<void> {
  const statistics = await service.engine.store.statistics(AbortSignal.timeout(30_000));
  if (statistics.some(({ name, rowCount }) => rowCount > 0 && name !== auditSourceName)) return;
  const bar = createProgressBar(context.errors, "Filling the store with a day of sample events");
  await fillWithSampleEvents({ url: service.url, token, nowMs: Date.now(), onProgress: bar.update });
  bar.end();
}

async function printWelcome(
  service: RunningService,
  configuration: Configuration,
  isDemo: boolean,
  context: CliContext,
): Promise<void> {
  const { output } = context;
  print(output, `Logweir listens on ${service.url}`);
  print(output, `Endpoints of ${listFolders(configuration.settings.endpointFolders)}`);
  print(output, `Sources of ${listFolders(configuration.settings.sourceFolders)}`);
  const token = await makeFirstToken(service, configuration);
  if (token !== undefined) {
    print(
      output,
      `\nAccess token, shown this once:\n  ${token}\n(\`logweir token create --scope private\` makes another.)`,
    );
  }
  if (configuration.settings.consoleFolder !== undefined) {
    const link = token === undefined ? `${service.url}/` : signInLink(service.url, token, isDemo);
    print(output, `\nConsole${token === undefined ? "" : ", signed in by this link"}:\n  ${link}`);
  }
  // Sandboxed endpoints first, because they take queries; the others answer one question each.
  const { endpoints } = service.endpoints;
  const isSandboxed = ({ definition }: Endpoint) => definition.isSandboxed;
  const shown = [...endpoints.filter(isSandboxed), ...endpoints.filter((each) => !isSandboxed(each))].slice(0, 5);
  const calls = shown.map((endpoint) => exampleCall(service.url, endpoint, token));
  if (calls.length > 0) print(output, `\nTry:\n${calls.map((call) => `  ${call}`).join("\n")}`);
}

/** Browsers do not send the part behind `#`, and the page removes it from the address at once. */
function signInLink(url: string, token: string, isDemo: boolean): string {
  return `${url}/#token=${encodeURIComponent(token)}${isDemo ? "&project=default" : ""}`;
}

function listFolders(folders: readonly string[]): string {
  return folders.length === 0 ? "no folder: what is made over the API counts" : folders.join(" and ");
}

/** Creates a token for a service without any: no fixed token, and none was ever created. */
async function makeFirstToken(service: RunningService, { settings }: Configuration): Promise<string | undefined> {
  if (settings.privateToken !== undefined) return undefined;
  const first = { description: "made on the first start", scopes: ["private"], pins: {}, expiresAt: undefined };
  // When several nodes start at once, one of them creates it.
  return service.nodes.exclusively(async () => {
    if ((await service.tokens.list()).length > 0) return undefined;
    return (await service.tokens.create(first)).secret;
  }, true);
}

function exampleCall(url: string, { definition }: Endpoint, token: string | undefined): string {
  const required = definition.parameters.filter((parameter) => parameter.isRequired);
  const query = required
    .map(({ name, allowed }) => `${name}=${encodeURIComponent(allowed?.[0] ?? "default")}`)
    .join("&");
  const path = `/api/endpoints/query/${encodeURIComponent(definition.name)}`;
  return `curl -H 'X-API-KEY: ${token ?? "<ACCESS_TOKEN>"}' '${url}${path}${query === "" ? "" : `?${query}`}'`;
}
