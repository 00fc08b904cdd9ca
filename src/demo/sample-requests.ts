import type { Random } from "./random.ts";
import type { MakeSampleEvent } from "./sample-event.ts";
import { address, areaPaths, areas, methods, places, projects, statuses, userAgents } from "./vocabulary.ts";

/** A request to a project, as the gateway logs it. */
export const makeEdge = (random: Random, timestamp: string) => {
  const project = random.weighted(projects);
  const path = random.pick(areaPaths[random.weighted(areas)]);
  const method = random.weighted(methods);
  const status = random.weighted(statuses);
  const search = method === "GET" && random.next() < 0.4 ? `?select=id&limit=${random.integer(1, 100)}` : "";
  const host = `${project}.example.com`;
  const url = `https://${host}${path}${search}`;
  const call = { place: random.pick(places), ip: address(random), agent: random.pick(userAgents) };
  const originTime = random.skewed(status >= 500 ? 900 : 45);
  return {
    id: random.uuid(),
    timestamp,
    project,
    event_message: `${method} | ${status} | ${call.ip} | ${random.hex(16)} | ${url} | ${call.agent}`,
    metadata: {
      request: {
        method,
        url,
        path,
        search,
        host,
        protocol: "https:",
        headers: makeRequestHeaders(random, call),
        cf: makeNetwork(random, call.place),
        sb: { jwt: makeTokens(random) },
      },
      response: {
        status_code: status,
        origin_time: originTime,
        headers: makeResponseHeaders(random, path, call.place),
      },
    },
  };
};

type SamplePlace = (typeof places)[number];

function makeRequestHeaders(
  random: Random,
  { place, ip, agent }: { readonly place: SamplePlace; readonly ip: string; readonly agent: string },
) {
  return {
    accept: "application/json",
    cf_connecting_ip: ip,
    cf_ipcountry: place.country,
    cf_ray: `${random.hex(16)}-${place.colo}`,
    referer: random.next() < 0.5 ? "https://app.example.com/" : null,
    user_agent: agent,
    x_client_info: random.pick(["js/2.48.1", "flutter/2.8.0", "swift/2.20.0"]),
    x_real_ip: ip,
  };
}

function makeNetwork(random: Random, place: SamplePlace) {
  return { asn: random.pick([3320, 7018, 28573, 2516]), httpProtocol: "HTTP/2", tlsVersion: "TLSv1.3", ...place };
}

function makeTokens(random: Random) {
  const role = random.weighted([
    ["anon", 8],
    ["service_role", 2],
  ]);
  return {
    apikey: { payload: { issuer: "logweir-demo", role } },
    ...(random.next() < 0.6 && {
      authorization: { payload: { role: "authenticated", subject: random.uuid() } },
    }),
  };
}

function makeResponseHeaders(random: Random, path: string, place: SamplePlace) {
  return {
    content_length: random.integer(20, 20_000),
    content_type: path.startsWith("/storage") ? "image/png" : "application/json; charset=utf-8",
    cf_cache_status: random.weighted([
      ["DYNAMIC", 9],
      ["HIT", 1],
    ]),
    cf_ray: `${random.hex(16)}-${place.colo}`,
    sb_gateway_version: "1",
  };
}

export const makeFunctionEdge: MakeSampleEvent = (random, timestamp) => {
  const project = random.weighted(projects);
  const pathname = random.pick(areaPaths.functions);
  const status = random.weighted(statuses);
  return {
    id: random.uuid(),
    timestamp,
    event_message: `POST | ${status} | https://${project}.example.com${pathname}`,
    metadata: {
      project_ref: project,
      function_id: random.pick(["5e9f7a10-0c1d-4b51-9f63-0f5a2c7d8e01", "5e9f7a10-0c1d-4b51-9f63-0f5a2c7d8e02"]),
      deployment_id: `${project}_1`,
      execution_id: random.uuid(),
      execution_time_ms: random.skewed(120),
      version: String(random.integer(1, 9)),
      request: {
        method: "POST",
        url: `https://${project}.example.com${pathname}`,
        pathname,
        host: `${project}.example.com`,
        protocol: "https:",
        port: 443,
        headers: { user_agent: random.pick(userAgents) },
      },
      response: {
        status_code: status,
        headers: {
          content_length: random.integer(2, 5_000),
          content_type: "application/json",
          x_served_by: "edge-runtime",
        },
      },
    },
  };
};

export const makeStorage: MakeSampleEvent = (random, timestamp) => {
  const project = random.weighted(projects);
  const status = random.weighted(statuses);
  const url = random.pick(["/object/public/images/banner.png", "/object/invoices/2026.pdf", "/bucket"]);
  return {
    id: random.uuid(),
    timestamp,
    event_message: `GET | ${status} | ${address(random)} | ${url}`,
    metadata: {
      project,
      tenantId: project,
      level: status >= 500 ? "error" : "info",
      timestamp,
      type: "request",
      reqId: random.hex(12),
      responseTime: random.skewed(2_000) / 100,
      req: {
        method: "GET",
        url,
        host: "storage",
        remoteAddress: address(random),
        remotePort: random.integer(1024, 65535),
        headers: { user_agent: random.pick(userAgents) },
      },
      res: {
        statusCode: status,
        headers: { content_length: random.integer(100, 90_000), content_type: "application/octet-stream" },
      },
      context: [{ host: "storage-1", pid: random.integer(10, 99) }],
    },
  };
};

export const makeRest: MakeSampleEvent = (random, timestamp) => ({
  id: random.uuid(),
  timestamp,
  project: random.weighted(projects),
  event_message:
    `${address(random)} - anon "GET /${random.pick(["orders", "products", "customers"])} HTTP/1.1" ` +
    `${random.weighted(statuses)}`,
  metadata: { host: "rest-1" },
});
