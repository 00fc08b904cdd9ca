import type { Random } from "./random.ts";
import { areaPaths, areas, methods, places, projects, queries, statuses, userAgents } from "./vocabulary.ts";

/** An event as a client would send it. */
export type SampleEvent = { readonly [field: string]: unknown };

/** Makes one event of a source at a time (ISO 8601). */
export type MakeSampleEvent = (random: Random, timestamp: string) => SampleEvent;

function address(random: Random): string {
  return random.next() < 0.85
    ? `${random.pick(["192.0.2", "198.51.100", "203.0.113"])}.${random.integer(1, 254)}`
    : `2001:db8:${random.hex(4)}::${random.hex(3)}`;
}

const makeEdge: MakeSampleEvent = (random, timestamp) => {
  const project = random.weighted(projects);
  const path = random.pick(areaPaths[random.weighted(areas)]);
  const method = random.weighted(methods);
  const status = random.weighted(statuses);
  const search = method === "GET" && random.next() < 0.4 ? `?select=id&limit=${random.integer(1, 100)}` : "";
  const host = `${project}.example.com`;
  const place = random.pick(places);
  const ip = address(random);
  const agent = random.pick(userAgents);
  const originTime = random.skewed(status >= 500 ? 900 : 45);
  return {
    id: random.uuid(),
    timestamp,
    project,
    event_message: `${method} | ${status} | ${ip} | ${random.hex(16)} | https://${host}${path}${search} | ${agent}`,
    metadata: {
      request: {
        method,
        url: `https://${host}${path}${search}`,
        path,
        search,
        host,
        protocol: "https:",
        headers: {
          accept: "application/json",
          cf_connecting_ip: ip,
          cf_ipcountry: place.country,
          cf_ray: `${random.hex(16)}-${place.colo}`,
          referer: random.next() < 0.5 ? "https://app.example.com/" : null,
          user_agent: agent,
          x_client_info: random.pick(["js/2.48.1", "flutter/2.8.0", "swift/2.20.0"]),
          x_real_ip: ip,
        },
        cf: { asn: random.pick([3320, 7018, 28573, 2516]), httpProtocol: "HTTP/2", tlsVersion: "TLSv1.3", ...place },
        sb: {
          jwt: {
            apikey: {
              payload: {
                issuer: "logweir-demo",
                role: random.weighted([
                  ["anon", 8],
                  ["service_role", 2],
                ]),
              },
            },
            ...(random.next() < 0.6 && {
              authorization: { payload: { role: "authenticated", subject: random.uuid() } },
            }),
          },
        },
      },
      response: {
        status_code: status,
        origin_time: originTime,
        headers: {
          content_length: random.integer(20, 20_000),
          content_type: path.startsWith("/storage") ? "image/png" : "application/json; charset=utf-8",
          cf_cache_status: random.weighted([
            ["DYNAMIC", 9],
            ["HIT", 1],
          ]),
          cf_ray: `${random.hex(16)}-${place.colo}`,
          sb_gateway_version: "1",
        },
      },
    },
  };
};

const makeDb: MakeSampleEvent = (random, timestamp) => {
  const severity = random.weighted([
    ["LOG", 90],
    ["ERROR", 6],
    ["WARNING", 3],
    ["FATAL", 1],
  ]);
  const query = random.pick(queries);
  const user = random.pick(["authenticator", "postgres", "storage_admin"]);
  const message =
    severity === "LOG"
      ? `duration: ${(random.skewed(800) / 100).toFixed(3)} ms  execute <unnamed>: ${query}`
      : random.pick([
          'duplicate key value violates unique constraint "orders_pkey"',
          "canceling statement due to statement timeout",
        ]);
  return {
    id: random.uuid(),
    timestamp,
    project: random.weighted(projects),
    event_message: message,
    metadata: {
      host: "db-1",
      parsed: {
        application_name: "postgrest",
        backend_type: "client backend",
        command_tag: query.slice(0, 6).toUpperCase(),
        connection_from: `${address(random)}:${random.integer(1024, 65535)}`,
        database_name: "postgres",
        error_severity: severity,
        process_id: random.integer(100, 30_000),
        query,
        query_id: random.integer(1, 2 ** 50),
        session_id: `${random.hex(8)}.${random.hex(4)}`,
        session_line_num: random.integer(1, 500),
        sql_state_code: severity === "LOG" ? "00000" : random.pick(["23505", "57014"]),
        timestamp,
        user_name: user,
      },
    },
  };
};

const makeFunctionEdge: MakeSampleEvent = (random, timestamp) => {
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

const makeFunction: MakeSampleEvent = (random, timestamp) => {
  const kind = random.weighted([
    ["Log", 8],
    ["Boot", 1],
    ["Shutdown", 1],
  ]);
  const message =
    kind === "Boot"
      ? `booted (time: ${random.skewed(30)}ms)`
      : kind === "Shutdown"
        ? "shutdown"
        : random.pick(["receipt sent", "image resized", "upstream answered 502, retrying"]);
  return {
    id: random.uuid(),
    timestamp,
    event_message: message,
    metadata: {
      project_ref: random.weighted(projects),
      function_id: "5e9f7a10-0c1d-4b51-9f63-0f5a2c7d8e01",
      execution_id: random.uuid(),
      event_type: kind,
      level: random.weighted([
        ["info", 8],
        ["warning", 1],
        ["error", 1],
      ]),
      timestamp: Date.parse(timestamp) * 1000,
      ...(kind === "Shutdown" && {
        cpu_time_used: random.skewed(60),
        memory_used: { total: random.integer(10, 90) * 1_000_000, heap: random.integer(5, 60) * 1_000_000 },
        reason: "EarlyDrop",
      }),
      region: random.pick(["eu-central-1", "us-east-1"]),
      served_by: "edge-runtime",
      version: "3",
    },
  };
};

const makeAuth: MakeSampleEvent = (random, timestamp) => {
  const path = random.pick(["/token", "/user", "/signup", "/logout"]);
  const status = random.weighted([
    [200, 90],
    [400, 6],
    [422, 3],
    [500, 1],
  ]);
  const level = status >= 500 ? "error" : "info";
  const message = status === 200 ? "request completed" : "400: Invalid login credentials";
  return {
    id: random.uuid(),
    timestamp,
    project: random.weighted(projects),
    event_message: JSON.stringify({ level, msg: message, path, status }),
    metadata: {
      level,
      msg: message,
      path,
      status,
      method: path === "/user" ? "GET" : "POST",
      duration: random.skewed(8_000_000),
      component: "api",
      host: "auth-1",
      remote_addr: address(random),
      request_id: random.uuid(),
      time: timestamp,
      ...(status === 200 &&
        path === "/token" && {
          login_method: "password",
          auth_event: {
            action: "login",
            actor_id: random.uuid(),
            actor_username: `user${random.integer(1, 400)}@example.com`,
            actor_via_sso: false,
            log_type: "account",
          },
        }),
    },
  };
};

const makeRealtime: MakeSampleEvent = (random, timestamp) => {
  const project = random.weighted(projects);
  const level = random.weighted([
    ["info", 9],
    ["warning", 1],
  ]);
  return {
    id: random.uuid(),
    timestamp,
    event_message:
      level === "info"
        ? "Billing metrics: [:realtime, :connections]"
        : "ClientPresenceRateLimitReached: too many presence events",
    metadata: {
      project,
      external_id: project,
      level,
      context: {
        application: "realtime",
        module: "Elixir.Realtime.Telemetry",
        function: "handle_event/4",
        line: random.integer(20, 90),
      },
      measurements: { connected: random.integer(0, 40), connected_cluster: random.integer(0, 80) },
    },
  };
};

const makeStorage: MakeSampleEvent = (random, timestamp) => {
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

const makeRest: MakeSampleEvent = (random, timestamp) => ({
  id: random.uuid(),
  timestamp,
  project: random.weighted(projects),
  event_message: `${address(random)} - anon "GET /${random.pick(["orders", "products", "customers"])} HTTP/1.1" ${random.weighted(statuses)}`,
  metadata: { host: "rest-1" },
});

const makePooler: MakeSampleEvent = (random, timestamp) => {
  const project = random.weighted(projects);
  return {
    id: random.uuid(),
    timestamp,
    project,
    event_message: random.pick([
      "ClientHandler: Connection closed when state was idle",
      "DbHandler: Connection established",
      "ClientHandler: query timeout",
    ]),
    metadata: {
      level: random.weighted([
        ["info", 9],
        ["error", 1],
      ]),
      host: "pooler-1",
      mode: "transaction",
      region: "eu-central-1",
      tenant: project,
      db_name: "postgres",
      user: "postgres",
      file: "lib/client_handler.ex",
      line: random.integer(50, 600),
    },
  };
};

/** One maker a source, with the source's share of all sample events. */
export const sampleSources: readonly {
  readonly source: string;
  readonly share: number;
  readonly make: MakeSampleEvent;
}[] = [
  { source: "edge", share: 0.4, make: makeEdge },
  { source: "db", share: 0.12, make: makeDb },
  { source: "function_edge", share: 0.06, make: makeFunctionEdge },
  { source: "function", share: 0.08, make: makeFunction },
  { source: "auth", share: 0.1, make: makeAuth },
  { source: "realtime", share: 0.06, make: makeRealtime },
  { source: "storage", share: 0.08, make: makeStorage },
  { source: "rest", share: 0.06, make: makeRest },
  { source: "pooler", share: 0.04, make: makePooler },
];
