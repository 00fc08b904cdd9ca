import { setTimeout as pause } from "node:timers/promises";
import type { Backend, DrainRule } from "../drains/backend.ts";
import { type ConfigSealer, createConfigSealer } from "../drains/config-sealer.ts";
import type { DeliveryClock } from "../drains/delivery.ts";
import { createAddressCheck } from "../drains/destinations/check-address.ts";
import { createNameFinder, createNameProbe } from "../drains/destinations/name-finder.ts";
import { createSender, type SendRequest } from "../drains/destinations/send-request.ts";
import type { DrainLog } from "../drains/drain-log.ts";
import { type DrainDocuments, Drains } from "../drains/drains.ts";
import { serviceIdOf } from "../drains/hops.ts";
import { createEventReader, matchLimits } from "../drains/read-events.ts";
import { createRemovals } from "../drains/removals.ts";
import { RunningRules } from "../drains/running-rules.ts";
import type { EndpointRunner } from "../endpoints/call/run/runner.ts";
import { createEventMatcher } from "../endpoints/explore/match-events.ts";
import type { DrainStore, StoredBackend, StoredRule } from "../metadata/drain-store.ts";
import type { Nodes } from "../metadata/nodes.ts";
import { createRowReader } from "../shared/concurrency/row-reader.ts";
import { readDestinations, resolveName } from "../shared/network/private-networks.ts";
import type { Source } from "../sources/source.ts";

/** Log drains that record events already, and deliver them once they are started. */
export interface OpenedDrains {
  readonly drains: Drains;
  /** Sends to destinations, within the networks that drains may reach. */
  readonly send: SendRequest;
  /** Why nothing may be sent to an address; undefined for nothing. */
  readonly findAddressProblem: (url: string) => Promise<string | undefined>;
  /** Takes over what other nodes changed. */
  takeOver(): Promise<void>;
  /** With what runs queries, and where the service listens, once it does. */
  start(runner: EndpointRunner, ownAddress: () => URL | undefined): void;
  close(): Promise<void>;
}

interface OpenOptions {
  readonly log: DrainLog;
  readonly store: DrainStore;
  readonly serviceKey: Uint8Array;
  readonly findSource: (nameOrId: string) => Source | undefined;
  readonly nodes: Pick<Nodes, "exclusively">;
  /** The private networks that drains may reach. */
  readonly privateDestinations: readonly string[];
  /** Whether queries see events once they are acknowledged. */
  readonly isStoreSynchronous: boolean;
  readonly nowMs: () => number;
  readonly steadyMs: () => number;
  readonly warn: (message: string) => void;
}

/**
 * An event that the store does not show for so long after its acknowledgement is not in it: seconds for what a restart
 * takes, minutes for what replicas may be behind.
 */
const graceMs = { synchronous: 10_000, replicated: 600_000 };

/** Opens the stored drains. A backend whose configuration was sealed with another key is skipped and logged. */
export async function openDrains(options: OpenOptions): Promise<OpenedDrains> {
  const { log, store, serviceKey, findSource, nodes, nowMs, warn, privateDestinations, isStoreSynchronous } = options;
  const allowed = readDestinations(privateDestinations);
  const names = createNameFinder({ lookUp: resolveName, isAnswered: createNameProbe() });
  const sender = createSender({ allowed, resolve: names.find });
  let ownAddress = (): URL | undefined => undefined;
  const sealer = createConfigSealer(serviceKey);
  const read = createReader(store, sealer, warn);
  const clock = createDeliveryClock(options);
  const running = new RunningRules({
    ...{ log, clock, warn },
    send: sender.send,
    serviceId: serviceIdOf(serviceKey),
    removals: createRemovals({ findSource, nowMs }),
    graceMs: isStoreSynchronous ? graceMs.synchronous : graceMs.replicated,
  });
  const documents: DrainDocuments = {
    putBackend({ id, config, ...document }) {
      return store.putBackend({ id, document: JSON.stringify(document), config: sealer.seal(JSON.stringify(config)) });
    },
    removeBackend: (id) => store.removeBackend(id),
    putRule: ({ id, backendId, ...document }) => store.putRule({ id, backendId, document: JSON.stringify(document) }),
    removeRule: (id) => store.removeRule(id),
  };
  const amongServices = nodes.exclusively.bind(nodes);
  const findAddressProblem = createAddressCheck({ allowed, resolve: names.find, ownAddress: () => ownAddress() });
  const drains = new Drains({
    ...{ documents, running, findSource, nowMs, findAddressProblem, amongServices },
  });
  const takeOver = async () => {
    const { backends, rules } = await read();
    await drains.replaceAll(backends, rules);
  };
  await takeOver();
  return {
    drains,
    send: sender.send,
    findAddressProblem,
    takeOver,
    start(runner, own) {
      const { engine } = runner;
      ownAddress = own;
      const matcher = createEventMatcher(runner, matchLimits, nowMs);
      running.start(createEventReader({ findEvents: engine.findEvents, matcher, findSource }));
    },
    async close() {
      await running.close();
      sender.close();
      names.close();
    },
  };
}

/** A clock that sleeps without keeping the process alive. */
export function createDeliveryClock(clocks: Pick<DeliveryClock, "nowMs" | "steadyMs">): DeliveryClock {
  return {
    ...clocks,
    random: Math.random,
    sleep: (ms, signal) => pause(ms, undefined, { signal, ref: false }).catch(() => undefined),
  };
}

function createReader(store: DrainStore, sealer: ConfigSealer, warn: (message: string) => void) {
  const readBackends = createRowReader(({ id, document, config }: StoredBackend): Backend | undefined => {
    const opened = sealer.open(config);
    const backend = JSON.parse(document) as Omit<Backend, "id" | "config">;
    if (opened !== undefined) return { ...backend, id, config: JSON.parse(opened) as Backend["config"] };
    warn(`how the backend ${backend.name} is reached was sealed with another key: it gets nothing. Make it again`);
    return undefined;
  });
  const readRules = createRowReader(({ id, backendId, document }: StoredRule): DrainRule => {
    return { ...(JSON.parse(document) as Omit<DrainRule, "id" | "backendId">), id, backendId };
  });
  return async () => ({
    backends: await readBackends(await store.backends()),
    rules: await readRules(await store.rules()),
  });
}
