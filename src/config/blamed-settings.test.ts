import { expect, it } from "vitest";
import { nameBlamedSettings } from "./blamed-settings.ts";
import { readConfiguration } from "./config.ts";

const places = { workingDir: "/srv/work", packageDir: "/package" };
const ports = "LOGWEIR_HOST, LOGWEIR_PORT, LOGWEIR_SYSLOG_PORT";
const lacking = "LOGWEIR_CLICKHOUSE_URL: http://ch.internal:8123 is away";

it.each([
  ["listen EADDRINUSE: address already in use 10.0.0.1:514", {}, "LOGWEIR_HOST, LOGWEIR_SYSLOG_PORT"],
  [
    "listen EADDRINUSE: address already in use 10.0.0.1:5140",
    { LOGWEIR_SYSLOG_PORT: "5140", LOGWEIR_PORT: "5140" },
    ports,
  ],
  ["listen EADDRINUSE: address already in use :::4000", {}, "LOGWEIR_PORT"],
  ["getaddrinfo ENOTFOUND 10.0.0.1", {}, "LOGWEIR_HOST"],
  ["no such file or directory, scandir '/srv/work/mine'", { LOGWEIR_ENDPOINTS_DIR: "mine" }, "LOGWEIR_ENDPOINTS_DIR"],
  [
    "ENOENT: no such file or directory, open '/ca.pem'",
    { LOGWEIR_CLICKHOUSE_CA_FILE: "/ca.pem" },
    "LOGWEIR_CLICKHOUSE_CA_FILE",
  ],
  ["the token secret-of-20-letters is odd", { LOGWEIR_API_KEY: "secret-of-20-letters" }, undefined],
  [lacking, { LOGWEIR_CLICKHOUSE_URL: "http://ch.internal:8123" }, undefined],
  ["The engine is off and on by default in data", {}, undefined],
])("the failure %s is about %s: %s", (message, environment, blamed) => {
  const env = { LOGWEIR_HOST: "10.0.0.1", LOGWEIR_SYSLOG_PORT: "514", LOGWEIR_CONSOLE: "off", ...environment };
  const told = nameBlamedSettings(message, readConfiguration(places, env), places.workingDir);
  expect(told).toBe(blamed === undefined ? message : `${message} (${blamed})`);
});
