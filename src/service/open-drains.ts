import { setTimeout as pause } from "node:timers/promises";
import type { Backend, DrainRule } from "../drains/backend.ts";
import { createConfigSealer } from "../drains/config-sealer.ts";
import { sendRequest } from "../drains/destinations/send-request.ts";
import { createDrains, type DrainDocuments, type Drains } from "../drains/drains.ts";
import { createEventReader } from "../drains/read-events.ts";
import { createRunningRules } from "../drains/running-rules.ts";
import type { EndpointRunner } from "../endpoints/call/run/runner.ts";
import type { DrainStore } from "../metadata/drain-store.ts";
import type { Source } from "../sources/source.ts";

/** Log drains that note events already, and send them once they are started. */
export interface OpenedDrains {
  readonly drains: Drains;
  /** With what runs queries. */
  start(runner: EndpointRunner): void;
  close(): Promise<void>;
}

interface OpenOptions {
  readonly folder: string;
  readonly maxBytes: number;
  readonly store: DrainStore;
  readonly serviceKey: Uint8Array;
  readonly findSource: (nameOrId: string) => Source | undefined;
  readonly warn: (message: string) => void;
}

/** Opens what was kept. A backend whose configuration another key sealed is left out, and told. */
export async function openDrains(options: OpenOptions): Promise<OpenedDrains> {
  const { folder, maxBytes, store, serviceKey, findSource, warn } = options;
  const sealer = createConfigSealer(serviceKey);
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
  const clock = {
    nowMs: Date.now,
    random: Math.random,
    sleep: (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal, ref: false }).catch(() => undefined),
  };
  const running = createRunningRules({ folder, maxBytes, send: sendRequest, clock, warn });
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
  return {
    drains: createDrains({ backends, rules, documents, running, findSource, nowMs: Date.now }),
    start: (runner) => running.start(createEventReader(runner)),
    close: () => running.close(),
  };
}
