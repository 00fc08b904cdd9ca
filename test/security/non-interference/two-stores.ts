import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RedactionPolicy } from "../../../src/access/scope.ts";
import { readConfiguration } from "../../../src/config/config.ts";
import { type RunningService, startService } from "../../../src/service/service.ts";
import { engineEnvironment } from "../../clickhouse/engine-environment.ts";

const privateToken = "private-token-of-the-two-stores-0123456789";

/** Headers that depend on the moment or the connection, and the lengths that follow from them. */
const passingHeaders = new Set(["date", "server-timing", "x-request-id", "connection", "keep-alive"]);

/** `alone` holds the caller's tenants only, `shared` the same and others beside them. */
export type Which = "alone" | "shared";

/** An answer as the caller sees it; a paginated result includes all of its pages. */
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
  /** A request by a token that pins the tenant, and with `redacts` one that must see redacted data. */
  send(which: Which, request: TenantRequest): Promise<Seen>;
  /** A request of the owner's. */
  manage(which: Which, method: string, path: string, body?: object): Promise<Managed>;
  /** The address of such a request as `send` makes, and its headers. */
  addressOf(which: Which, request: TenantRequest): Promise<{ readonly url: string; readonly headers: Headers }>;
  /** Stops both, which writes everything to the files, and starts them again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface TenantCall {
  readonly tenant: string;
  readonly isPinned: boolean;
  readonly endpoint: string;
  readonly path?: string | undefined;
  readonly redacts?: boolean | undefined;
  readonly parameters: Readonly<Record<string, string>>;
}

export interface TenantRequest {
  readonly tenant: string;
  readonly redacts: boolean;
  readonly path: string;
  /** Sent as JSON by POST; a GET without. */
  readonly body?: object | undefined;
}

export interface Managed {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
}

type Headers = Record<string, string>;

interface Store {
  readonly dataDir: string;
  readonly more: Readonly<Record<string, string>>;
  service: RunningService;
  readonly tokens: Map<string, string>;
}

async function start(dataDir: string, more: Readonly<Record<string, string>>): Promise<RunningService> {
  const environment = {
    LOGWEIR_HOST: "127.0.0.1",
    LOGWEIR_PORT: "0",
    LOGWEIR_DATA_DIR: dataDir,
    LOGWEIR_PRIVATE_TOKEN: privateToken,
    LOGWEIR_LOG_LEVEL: "silent",
    LOGWEIR_AUDIT: "off",
    ...engineEnvironment(dataDir),
    ...more,
  };
  return startService(readConfiguration({ workingDir: dataDir, packageDir: process.cwd() }, environment));
}

async function openStore(more: Readonly<Record<string, string>>): Promise<Store> {
  const dataDir = await mkdtemp(join(tmpdir(), "logweir-two-stores-"));
  return { dataDir, more, service: await start(dataDir, more), tokens: new Map() };
}

/** The value of a token of the tenant's; made when it is first asked for. */
async function tokenOf(
  { service, tokens }: Store,
  tenant: string,
  isPinned: boolean,
  redaction: RedactionPolicy = "fixed",
): Promise<string> {
  const key = `${redaction} ${isPinned ? tenant : ""}`;
  const known = tokens.get(key);
  if (known !== undefined) return known;
  const pins: Record<string, string> = isPinned ? { project: tenant } : {};
  const scopes = ["query"] as const;
  const { secret } = await service.tokens.create({ description: "", scopes, pins, redaction, expiresAt: undefined });
  tokens.set(key, secret);
  return secret;
}

/** The maximum number of pages followed. */
const MAX_PAGES = 6;
/** The timeout of a tail. */
const TAIL_MS = 20_000;

async function headersOf(store: Store, { tenant, isPinned, redacts }: TenantCall): Promise<Record<string, string>> {
  const secret = await tokenOf(store, tenant, isPinned);
  const redaction: Record<string, string> = redacts === true ? { "lf-endpoint-redact-pii": "true" } : {};
  return { "x-api-key": secret, "accept-encoding": "identity", ...redaction };
}

function pathOf({ tenant, isPinned, endpoint, path = "", parameters }: TenantCall): string {
  const sent = new URLSearchParams({ ...parameters, ...(isPinned ? {} : { project: tenant }) });
  return `/api/endpoints/query/${endpoint}${path}?${sent}`;
}

/** The parts of an answer that lead to the next page. */
function nextOf({ headers }: Seen): string | undefined {
  return headers["x-logweir-next-cursor"] ?? /[?&]cursor=([^>&]*)/.exec(headers.link ?? "")?.[1];
}

async function read(url: string, headers: Record<string, string>, body?: object): Promise<Seen> {
  if (url.includes("/tail?")) return readTail(url, headers);
  const response = await fetch(url, {
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
  const shown = Object.fromEntries([...response.headers].filter(([name]) => !passingHeaders.has(name)));
  return { status: response.status, headers: shown, body: Buffer.from(await response.arrayBuffer()) };
}

/** The first message of a tail. Its cursor is sealed anew each time. */
async function readTail(url: string, headers: Record<string, string>): Promise<Seen> {
  const response = await fetch(url, { headers });
  if (response.status !== 200 || response.body === null)
    return { status: response.status, headers: {}, body: Buffer.from(await response.arrayBuffer()) };
  const reader = response.body.getReader();
  const end = setTimeout(() => void reader.cancel(), TAIL_MS);
  let text = "";
  let message: string | undefined;
  while (message === undefined) {
    const part = await reader.read();
    if (part.done) break;
    text += Buffer.from(part.value);
    message = /^(?:event: .*\n)?data: .*\n/m.exec(text)?.[0];
  }
  clearTimeout(end);
  await reader.cancel();
  return { status: 200, headers: {}, body: Buffer.from(message ?? "nothing") };
}

/** Starts both, with these settings too; stop them, or their engines outlive the test. */
export async function openTwoStores(settings: Readonly<Record<string, string>> = {}): Promise<TwoStores> {
  const stores: Readonly<Record<Which, Store>> = {
    alone: await openStore(settings),
    shared: await openStore(settings),
  };
  const addressOf: TwoStores["addressOf"] = async (which, { tenant, redacts, path }) => {
    const secret = await tokenOf(stores[which], tenant, true, redacts ? "required" : "fixed");
    const accept = { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25" };
    const headers = { "x-api-key": secret, "accept-encoding": "identity", ...accept };
    return { url: `${stores[which].service.url}${path}`, headers };
  };
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
    async ask(which, call) {
      const store = stores[which];
      const headers = await headersOf(store, call);
      const first = await read(`${store.service.url}${pathOf(call)}`, headers);
      const bodies = [first.body];
      let last = first;
      for (let cursor = nextOf(last); cursor !== undefined && bodies.length < MAX_PAGES; cursor = nextOf(last)) {
        last = await read(`${store.service.url}${pathOf(call)}&cursor=${cursor}`, headers);
        bodies.push(last.body);
      }
      return { ...first, body: Buffer.concat(bodies) };
    },
    async send(which, request) {
      const { url, headers } = await addressOf(which, request);
      return read(url, headers, request.body);
    },
    addressOf,
    async manage(which, method, path, body) {
      const headers = { "content-type": "application/json", "x-api-key": privateToken };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(`${stores[which].service.url}${path}`, { method, headers, ...sent });
      return { status: response.status, json: (await response.json()) as Managed["json"] };
    },
    async restart() {
      for (const store of both) {
        await store.service.stop();
        store.service = await start(store.dataDir, store.more);
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
