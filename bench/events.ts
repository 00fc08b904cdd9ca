/** Edge events for benchmarks: made from a seed, batch by batch, so that any number of them takes no memory. */
import { createRandom, type Random } from "../src/demo/random.ts";
import { clients, methods, paths, places, searches, statuses, userAgents } from "./vocabulary.ts";

/** Which events to make. The same plan makes the same events everywhere. */
export interface EventPlan {
  readonly seed: number;
  readonly eventCount: number;
  /** The events lie in the 14 days before it; in milliseconds since 1970. */
  readonly endMs: number;
}

export interface BenchEvent {
  readonly id: string;
  /** ISO 8601 in UTC with six decimals. No two events of a plan share one. */
  readonly timestamp: string;
  readonly timestampUs: number;
  readonly project: string;
  readonly message: string;
  /** The whole event, as it is sent. */
  readonly json: string;
}

/** Events of a batch, which is also what the benchmarks send in one call. */
export const eventsPerBatch = 1_000;
const projectCount = 50;
const spanMs: number = 14 * 86_400_000;
/** In a few dozen events of the largest project, whatever the number of events. */
export const rareWord = "kestrelfall";

const rareEventCount = 40;
/** Events arrive up to so much out of order. */
const jitterUs = 2_000_000;

/** A plan's default end lies fixed in the past, so that two runs make the same events. */
export const defaultEndMs: number = Date.UTC(2026, 7, 20);

function hex8(random: Random): string {
  return Math.floor(random.next() * 2 ** 32)
    .toString(16)
    .padStart(8, "0");
}

function uuid(random: Random): string {
  const [a, b, c, d] = [hex8(random), hex8(random), hex8(random), hex8(random)];
  return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-a${c.slice(1, 4)}-${c.slice(4)}${d}`;
}

/** References of the projects, the largest first. */
export function projectReferences(seed: number): readonly string[] {
  const random = createRandom(seed ^ 0x70726f6a);
  const letter = () => String.fromCharCode(97 + Math.floor(random.next() * 26));
  return Array.from({ length: projectCount }, () => Array.from({ length: 20 }, letter).join(""));
}

/** Cumulated shares by Zipf's law: the largest project has 22 % of the events, the smallest 0.4 %. */
const projectShares: readonly number[] = (() => {
  const weights = Array.from({ length: projectCount }, (_, rank) => 1 / (rank + 1));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let sum = 0;
  return weights.map((weight) => {
    sum += weight / total;
    return sum;
  });
})();

function pickProject(random: Random, projects: readonly string[]): string {
  const share = random.next();
  const rank = projectShares.findIndex((upTo) => share < upTo);
  return projects[rank === -1 ? projectCount - 1 : rank] ?? "";
}

function pickStatus(random: Random): number {
  let left = random.next() * 1_000;
  for (const [status, weight] of statuses) {
    left -= weight;
    if (left < 0) return status;
  }
  return 200;
}

function address(random: Random): string {
  const network = random.pick(["192.0.2", "198.51.100", "203.0.113"]);
  return random.next() < 0.85 ? `${network}.${random.integer(1, 254)}` : `2001:db8:${hex8(random).slice(4)}::1`;
}

/** ISO 8601 in UTC with six decimals. */
export function isoMicros(us: number): string {
  const ms = Math.floor(us / 1_000);
  return `${new Date(ms).toISOString().slice(0, -1)}${String(us - ms * 1_000).padStart(3, "0")}Z`;
}

function timeOf(plan: EventPlan, index: number, random: Random): number {
  const startUs = (plan.endMs - spanMs) * 1_000;
  const gapUs = (spanMs * 1_000 - jitterUs) / plan.eventCount;
  const us = startUs + index * gapUs + random.next() * jitterUs;
  // The last three digits come from the index: events near each other never share a timestamp.
  return Math.floor(us / 1_000) * 1_000 + (index % 1_000);
}

type BenchPlace = (typeof places)[number];

function makeMetadata(random: Random, project: string, status: number, requestId: string) {
  const [path, place, ip] = [random.pick(paths), random.pick(places), address(random)];
  const host = `${project}.example.com`;
  const search = random.next() < 0.5 ? random.pick(searches) : undefined;
  const ray = `${hex8(random)}${hex8(random)}-${place.colo}`;
  const hasUser = random.next() < 0.6;
  return {
    request: {
      method: random.pick(methods),
      url: `https://${host}${path}${search ?? ""}`,
      path,
      search,
      host,
      protocol: "https:",
      port: 443,
      headers: makeRequestHeaders(random, { host, ip, ray, requestId, country: place.country }),
      cf: makeNetwork(random, place),
      sb: {
        auth_user: hasUser ? uuid(random) : undefined,
        jwt: { apikey: makeKey(random), ...(hasUser && { authorization: makeUser(random, host) }) },
      },
    },
    response: {
      status_code: status,
      origin_time: random.skewed(status >= 500 ? 900 : 45),
      headers: makeResponseHeaders(random, path, ray),
    },
  };
}

interface RequestParts {
  readonly host: string;
  readonly ip: string;
  readonly ray: string;
  readonly requestId: string;
  readonly country: string;
}

function makeRequestHeaders(random: Random, { host, ip, ray, requestId, country }: RequestParts) {
  return {
    accept: "application/json",
    accept_encoding: "gzip, br",
    cf_connecting_ip: ip,
    cf_ipcountry: country,
    cf_ray: ray,
    referer: random.next() < 0.5 ? `https://app.${host}/dashboard` : undefined,
    user_agent: random.pick(userAgents),
    x_client_info: random.pick(clients),
    x_forwarded_proto: "https",
    x_real_ip: ip,
    x_request_id: requestId,
  };
}

function makeNetwork(random: Random, place: BenchPlace) {
  return {
    ...place,
    httpProtocol: random.next() < 0.7 ? "HTTP/2" : "HTTP/3",
    tlsVersion: "TLSv1.3",
    tlsCipher: "AEAD-AES128-GCM-SHA256",
    clientTcpRtt: random.skewed(20),
    botManagement: { score: random.integer(1, 99), verifiedBot: false },
  };
}

function makeKey(random: Random) {
  return {
    payload: {
      algorithm: "HS256",
      expires_at: 2_000_000_000 + random.integer(0, 9_999),
      issuer: "example",
      role: random.next() < 0.8 ? "anon" : "service_role",
      signature_prefix: hex8(random).slice(0, 6),
    },
  };
}

function makeUser(random: Random, host: string) {
  return {
    payload: {
      algorithm: "HS256",
      expires_at: 1_790_000_000 + random.integer(0, 999_999),
      issuer: `https://${host}/auth/v1`,
      role: "authenticated",
      session_id: uuid(random),
      subject: uuid(random),
    },
  };
}

function makeResponseHeaders(random: Random, path: string, ray: string) {
  return {
    cf_cache_status: random.next() < 0.9 ? "DYNAMIC" : "HIT",
    cf_ray: ray,
    content_length: random.integer(20, 20_000),
    content_type: path.startsWith("/storage") ? "image/png" : "application/json; charset=utf-8",
    sb_gateway_version: "1",
    sb_request_id: uuid(random),
    server: "edge",
    x_envoy_upstream_service_time: random.skewed(30),
  };
}

function makeEvent(plan: EventPlan, projects: readonly string[], index: number, random: Random): BenchEvent {
  const isRare = index % Math.max(1, Math.floor(plan.eventCount / rareEventCount)) === 7;
  const project = isRare ? (projects[0] ?? "") : pickProject(random, projects);
  const timestampUs = timeOf(plan, index, random);
  const timestamp = isoMicros(timestampUs);
  const [id, status] = [uuid(random), pickStatus(random)];
  const metadata = makeMetadata(random, project, status, id);
  const { request } = metadata;
  const message =
    `${request.method} | ${status} | ${request.headers.x_real_ip} | ${request.headers.cf_ray} | ${request.url} ` +
    `| ${request.headers.user_agent}${isRare ? ` | ${rareWord}` : ""}`;
  const json = JSON.stringify({ id, timestamp, project, event_message: message, identifier: project, metadata });
  return { id, timestamp, timestampUs, project, message, json };
}

/** The events of one batch, of any batch: each has a seed of its own. */
export function makeBatch(plan: EventPlan, batchIndex: number): readonly BenchEvent[] {
  const random = createRandom(plan.seed + Math.imul(batchIndex, 0x9e3779b1));
  const projects = projectReferences(plan.seed);
  const from = batchIndex * eventsPerBatch;
  const count = Math.min(eventsPerBatch, plan.eventCount - from);
  return Array.from({ length: Math.max(0, count) }, (_, offset) => makeEvent(plan, projects, from + offset, random));
}

/** The body of a call that sends the events. */
export function bodyOf(events: readonly BenchEvent[]): Buffer {
  return Buffer.from(`[${events.map(({ json }) => json).join(",")}]`);
}

/** How many batches a plan has. */
export function batchCount(plan: EventPlan): number {
  return Math.ceil(plan.eventCount / eventsPerBatch);
}

/** Where `id` and `timestamp` stand in an event's text, in bytes: before anything that is not ASCII. */
export const idAt: number = '{"id":"'.length;
export const timestampAt: number = idAt + 36 + '","timestamp":"'.length;

/** The first eight digits of an id that nobody has had before. */
export function idPrefix(cycle: number): string {
  return cycle.toString(16).padStart(8, "0");
}

/** The event again under another id and time: how a long run gets new events without the cost of making them. */
export function restamp(event: BenchEvent, cycle: number, timestampUs: number): BenchEvent {
  const id = idPrefix(cycle) + event.id.slice(8);
  const timestamp = isoMicros(timestampUs);
  const json = `{"id":"${id}","timestamp":"${timestamp}${event.json.slice(timestampAt + timestamp.length)}`;
  return { ...event, id, timestamp, timestampUs, json };
}
