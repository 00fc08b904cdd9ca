import type { Random } from "./random.ts";
import type { MakeSampleEvent } from "./sample-event.ts";
import { address, projects, queries } from "./vocabulary.ts";

/** A statement, as the database logs it. */
export const makeDb = (random: Random, timestamp: string) => {
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

export const makeFunction: MakeSampleEvent = (random, timestamp) => {
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

export const makeAuth: MakeSampleEvent = (random, timestamp) => {
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
        (path === "/token" || path === "/signup") && {
          login_method: "password",
          auth_event: {
            action: path === "/token" ? "login" : "user_signedup",
            actor_id: random.uuid(),
            actor_username: `user${random.integer(1, 400)}@example.com`,
            actor_via_sso: false,
            log_type: "account",
          },
        }),
    },
  };
};

export const makeRealtime: MakeSampleEvent = (random, timestamp) => {
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

export const makePooler: MakeSampleEvent = (random, timestamp) => {
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
