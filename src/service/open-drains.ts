import { setTimeout as pause } from "node:timers/promises";
import type { Backend, DrainRule } from "../drains/backend.ts";
import { type ConfigSealer, createConfigSealer } from "../drains/config-sealer.ts";
import { sendRequest } from "../drains/destinations/send-request.ts";
import type { DrainLog } from "../drains/drain-log.ts";
import { createDrains, type DrainDocuments, type Drains } from "../drains/drains.ts";
import { createEventReader } from "../drains/read-events.ts";
import { createRunningRules } from "../drains/running-rules.ts";
import type { EndpointRunner } from "../endpoints/call/run/runner.ts";
import type { DrainStore } from "../metadata/drain-store.ts";
import type { Nodes } from "../metadata/nodes.ts";
import type { Source } from "../sources/source.ts";

/** Log drains that record events already, and deliver them once they are started. */
export interface OpenedDrains {
  readonly drains: Drains;
  /** Takes over what other nodes changed. */
  takeOver(): Promise<void>;
  /** With what runs queries. */
  start(runner: EndpointRunner): void;
  close(): Promise<void>;
}

interface OpenOptions {
  readonly log: DrainLog;
  readonly store: DrainStore;
  readonly serviceKey: Uint8Array;
  readonly findSource: (nameOrId: string) => Source | undefined;
  readonly nodes: Pick<Nodes, "exclusively">;
  readonly nowMs: () => number;
  readonly warn: (message: string) => void;
}

/** Opens the stored drains. A backend whose configuration was sealed with another key is skipped and logged. */
export async function openDrains(options: OpenOptions): Promise<OpenedDrains> {
  const { log, store, serviceKey, findSource, nodes, nowMs, warn } = options;
  const sealer = createConfigSealer(serviceKey);
  const read = () => readDrains(store, sealer, warn);
  const { backends, rules } = await read();
  const clock = {
    nowMs,
    random: Math.random,
    sleep: (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal, ref: false }).catch(() => undefined),
  };
  const running = createRunningRules({ log, send: sendRequest, clock, warn });
  for (const rule of rules) {
    const backend = backends.find(({ id }) => id === rule.backendId);
    if (backend !== undefined) await running.restart(rule, backend);
  }
  const documents: DrainDocuments = {
    putBackend({ id, config, ...document }) {
      return store.putBackend({ id, document: JSON.stringify(document), config: sealer.seal(JSON.stringify(config)) });
    },
    removeBackend: (id) => store.removeBackend(id),
    putRule: ({ id, backendId, ...document }) => store.putRule({ id, backendId, document: JSON.stringify(document) }),
    removeRule: (id) => store.removeRule(id),
  };
  const amongServices = nodes.exclusively.bind(nodes);
  const drains = createDrains({ backends, rules, documents, running, findSource, nowMs, amongServices });
  return {
    drains,
    async takeOver() {
      const now = await read();
      await drains.replaceAll(now.backends, now.rules);
    },
    start: (runner) => running.start(createEventReader(runner)),
    close: () => running.close(),
  };
}

async function readDrains(
  store: DrainStore,
  sealer: ConfigSealer,
  warn: (message: string) => void,
): Promise<{ readonly backends: readonly Backend[]; readonly rules: readonly DrainRule[] }> {
  const backends: Backend[] = [];
  for (const { id, document, config } of await store.backends()) {
    const opened = sealer.open(config);
    const backend = JSON.parse(document) as Omit<Backend, "id" | "config">;
    if (opened === undefined) {
      warn(`how the backend ${backend.name} is reached was sealed with another key: it gets nothing. Make it again`);
    } else backends.push({ ...backend, id, config: JSON.parse(opened) as Backend["config"] });
  }
  const rules = (await store.rules()).map(({ id, backendId, document }): DrainRule => {
    return { ...(JSON.parse(document) as Omit<DrainRule, "id" | "backendId">), id, backendId };
  });
  return { backends, rules };
}
