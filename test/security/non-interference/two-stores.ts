import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfiguration } from "../../../src/config/config.ts";
import { type RunningService, startService } from "../../../src/service/service.ts";

const privateToken = "private-token-of-the-two-stores-0123456789";

/** Headers that tell of the moment or the connection, and the lengths that follow from them. */
const passingHeaders = new Set(["date", "server-timing", "x-request-id", "connection", "keep-alive"]);

/** `alone` holds the caller's tenants only, `shared` the same and others beside them. */
export type Which = "alone" | "shared";

/** What a caller sees of an answer. */
export interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Two whole services in this process, each with its engine in a child and a store of its own. */
export interface TwoStores {
  /** Sends JSON texts of events; rejects unless the service answers 200 or 422. */
  ingest(which: Which, source: string, events: readonly string[]): Promise<void>;
  /** A call by a token that pins the tenant, or by one that only names it. */
  ask(which: Which, call: TenantCall): Promise<Seen>;
  /** Stops both, which writes everything into the files, and starts them again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface TenantCall {
  readonly tenant: string;
  readonly isPinned: boolean;
  readonly endpoint: string;
  readonly parameters: Readonly<Record<string, string>>;
}

interface Store {
  readonly dataDir: string;
  service: RunningService;
  readonly tokens: Map<string, string>;
}

async function start(dataDir: string): Promise<RunningService> {
  const environment = {
    LOGWEIR_HOST: "127.0.0.1",
    LOGWEIR_PORT: "0",
    LOGWEIR_DATA_DIR: dataDir,
    LOGWEIR_PRIVATE_TOKEN: privateToken,
    LOGWEIR_LOG_LEVEL: "silent",
    LOGWEIR_AUDIT: "off",
  };
  return startService(readConfiguration({ workingDir: dataDir, packageDir: process.cwd() }, environment));
}

async function openStore(): Promise<Store> {
  const dataDir = await mkdtemp(join(tmpdir(), "logweir-two-stores-"));
  return { dataDir, service: await start(dataDir), tokens: new Map() };
}

/** The value of a token of the tenant's; made when it is first asked for. */
async function tokenOf({ service, tokens }: Store, tenant: string, isPinned: boolean): Promise<string> {
  const key = isPinned ? tenant : "";
  const known = tokens.get(key);
  if (known !== undefined) return known;
  const pins: Record<string, string> = isPinned ? { project: tenant } : {};
  const { secret } = await service.tokens.create({ description: "", scopes: ["query"], pins, expiresAt: undefined });
  tokens.set(key, secret);
  return secret;
}

/** Starts both; stop them, or their engines outlive the test. */
export async function openTwoStores(): Promise<TwoStores> {
  const stores: Readonly<Record<Which, Store>> = { alone: await openStore(), shared: await openStore() };
  const both = Object.values(stores);
  return {
    async ingest(which, source, events) {
      const response = await fetch(`${stores[which].service.url}/api/logs?source_name=${source}`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": privateToken },
        body: `[${events.join(",")}]`,
      });
      const text = await response.text();
      if (response.status !== 200 && response.status !== 422) throw new Error(`${response.status} ${text}`);
    },
    async ask(which, { tenant, isPinned, endpoint, parameters }) {
      const store = stores[which];
      const sent = new URLSearchParams({ ...parameters, ...(isPinned ? {} : { project: tenant }) });
      const secret = await tokenOf(store, tenant, isPinned);
      const response = await fetch(`${store.service.url}/api/endpoints/query/${endpoint}?${sent}`, {
        headers: { "x-api-key": secret, "accept-encoding": "identity" },
      });
      const headers = Object.fromEntries([...response.headers].filter(([name]) => !passingHeaders.has(name)));
      return { status: response.status, headers, body: Buffer.from(await response.arrayBuffer()) };
    },
    async restart() {
      for (const store of both) {
        await store.service.stop();
        store.service = await start(store.dataDir);
      }
    },
    async stop() {
      for (const { service, dataDir } of both) {
        await service.stop();
        await rm(dataDir, { recursive: true, force: true });
      }
    },
  };
}
