import type { Alert, AlertPlan } from "../alerts/alert.ts";
import { Alerts } from "../alerts/alerts.ts";
import { createMailSender } from "../alerts/destinations/send-mail.ts";
import { type AlertFile, loadAlerts } from "../alerts/load-alerts.ts";
import { createAlertQueries, type EndedRun } from "../alerts/run-query.ts";
import { RunningAlerts } from "../alerts/running-alerts.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import { type ConfigSealer, createConfigSealer } from "../drains/config-sealer.ts";
import { serviceIdOf } from "../drains/hops.ts";
import type { EndpointRunner } from "../endpoints/call/run/runner.ts";
import { createAlertStore, type StoredAlert } from "../metadata/alert-store.ts";
import { mapInTurns } from "../shared/concurrency/give-way.ts";
import { createRowReader } from "../shared/concurrency/row-reader.ts";
import { errorCatalogue } from "../shared/error-catalogue.ts";
import type { Forgetting } from "../sources/forgetting.ts";
import { createDeliveryClock } from "./open-drains.ts";
import type { OpenEndpoints } from "./open-endpoints.ts";
import type { Storage } from "./open-storage.ts";
import type { Start } from "./start.ts";

/** Alerts that run once they are started. */
export interface OpenedAlerts {
  readonly alerts: Alerts;
  /** Takes over what other nodes changed. */
  takeOver(): Promise<void>;
  /** Reads the alert files and changes nothing. Throws `AlertFileError`. */
  loadFiles(): Promise<readonly AlertFile[]>;
  /** As `Alerts.takeFiles`; what is wrong with them is logged once it is known. */
  takeFiles: Alerts["takeFiles"];
  start(): void;
  close(): Promise<void>;
}

interface AlertParts
  extends Pick<Storage, "metadata" | "nodes" | "sources" | "serviceKey" | "draining">,
    Pick<OpenEndpoints, "endpoints"> {
  readonly audit: Pick<AuditLog, "record">;
  readonly forgetting: Pick<Forgetting, "onRequest">;
}

/**
 * Opens the alerts of the store and of the files. A stored one that was sealed with another key is skipped and logged.
 * Throws `AlertFileError`.
 */
export async function openAlerts(
  { settings, nowMs, steadyMs, logger }: Start,
  { metadata, nodes, sources, endpoints, serviceKey, draining, audit, forgetting }: AlertParts,
  runner: EndpointRunner,
): Promise<OpenedAlerts> {
  const warn = (message: string) => logger.warn(message);
  const store = createAlertStore(metadata);
  const sealer = createConfigSealer(serviceKey);
  const { drains, send, findAddressProblem } = draining;
  const findBackend = (idOrName: string) =>
    drains.backends.find(({ id }) => id === idOrName.toLowerCase()) ??
    drains.backends.find(({ name }) => name === idOrName);
  const onRun = (plan: AlertPlan, run: EndedRun) => noteRun(audit, plan, run);
  const queries = createAlertQueries({ runner, tables: sources, endpoints, nowMs, onRun });
  const readAlerts = createRowReader((row: StoredAlert) => openAlert(row, sealer, warn));
  const { smtpUrl: url, smtpFrom: from } = settings;
  const sendMail = url === undefined || from === undefined ? undefined : createMailSender({ url, from });
  const running = new RunningAlerts({
    documents: store,
    ...{ send, sendMail },
    serviceId: serviceIdOf(serviceKey),
    findBackend,
    isEvaluator: () => nodes.isLeader(),
    clock: createDeliveryClock({ nowMs, steadyMs }),
    // No texts of rows: the audit outlives their events.
    onNotice: ({ id, name }, { status, incident, rowCount }) => {
      const details = { incident, rows: rowCount };
      audit.record({ action: `alert.${status}`, actor: "alerts", target: name, targetId: id, details });
    },
    warn,
  });
  forgetting.onRequest((source) => running.forget(source));
  forgetRemoved(sources, running, warn);
  const alerts = new Alerts({
    alerts: await readAlerts(await store.list()),
    documents: {
      put: (all) => store.put(all.map(({ id, ...alert }) => ({ id, document: sealer.seal(JSON.stringify(alert)) }))),
      remove: (ids) => store.remove(ids),
    },
    canMail: sendMail !== undefined,
    ...{ running, queries, findBackend, findAddressProblem, nowMs },
    amongServices: nodes.exclusively.bind(nodes),
  });
  const ofFiles = openFiles(alerts, settings, warn);
  const files = await ofFiles.loadFiles();
  await nodes.exclusively(() => ofFiles.takeFiles(files), true);
  return {
    alerts,
    ...ofFiles,
    takeOver: async () => alerts.replaceAll(await readAlerts(await store.list())),
    start: () => running.start(queries),
    close: () => running.close(),
  };
}

function openFiles(
  alerts: Alerts,
  { alertFolder }: Start["settings"],
  warn: (message: string) => void,
): Pick<OpenedAlerts, "loadFiles" | "takeFiles"> {
  return {
    loadFiles: async () => (alertFolder === undefined ? [] : loadAlerts(alertFolder)),
    async takeFiles(files) {
      const taken = await alerts.takeFiles(files);
      // Thousands may be new at once, and the query of each is compiled.
      void mapInTurns(taken.written, (alert) => warnOfProblems(alerts, alert, warn));
      return taken;
    },
  };
}

/** Never rejects. */
async function warnOfProblems(alerts: Alerts, alert: Alert, warn: (message: string) => void): Promise<void> {
  const problems = await alerts.describeProblems(alert).catch((error: unknown) => [String(error)]);
  for (const problem of problems) warn(`an alert cannot run, or notify everyone, for now: ${problem}`);
}

/** Takes back what alerts have not reported of sources that are removed from now on. */
function forgetRemoved(
  sources: Storage["sources"],
  running: Pick<RunningAlerts, "forget">,
  warn: (message: string) => void,
): void {
  let names = namesOf(sources);
  sources.onChange(() => {
    const now = namesOf(sources);
    const removed = names.filter((name) => !now.includes(name));
    names = now;
    for (const name of removed) {
      running.forget(name).catch((error: unknown) => warn(`notices of a removed source may be sent: ${String(error)}`));
    }
  });
}

function namesOf({ sources }: Pick<Storage["sources"], "sources">): readonly string[] {
  return sources.map(({ name }) => name);
}

function openAlert(
  { id, document }: StoredAlert,
  sealer: ConfigSealer,
  warn: (message: string) => void,
): Alert | undefined {
  const opened = sealer.open(document);
  if (opened !== undefined) return { ...(JSON.parse(opened) as Omit<Alert, "id">), id };
  warn(`the alert ${id} was sealed with another key: it does not run. Make it again`);
  return undefined;
}

function noteRun(audit: Pick<AuditLog, "record">, { id, name }: AlertPlan, run: EndedRun): void {
  const { endpoint, error, ...rest } = run;
  audit.record({
    ...rest,
    action: endpoint === undefined ? "query.run" : "endpoint.run",
    surface: "alert",
    actor: "alerts",
    ...(endpoint === undefined ? {} : { endpoint }),
    cache: "none",
    status: error === undefined ? 200 : errorCatalogue[error.code].status,
    ...(error === undefined ? {} : { error: error.code }),
    // Runs of an alert within a second become one entry: those of a rehearsal.
    callKey: `alert ${id} ${name}`,
  });
}
