import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** By name: sends events, and says to which source and what must be found there. */
export const senders = {
  async "pino-logflare, stream"({ url, token, modules }) {
    const require = createRequire(`${modules}/`);
    const { createWriteStream } = require("pino-logflare");
    const stream = createWriteStream({ apiKey: token, sourceName: "edge", apiBaseUrl: url, size: 1 });
    require("pino")({}, stream).info({ a: { b: 1 } }, "from a stream");
    return { source: "edge", expected: [{ message: "from a stream", contains: ['"level":"info"', '"b":1'] }] };
  },

  async "pino-logflare, transport"({ url, token, modules }) {
    const require = createRequire(`${modules}/`);
    const options = { apiKey: token, sourceName: "edge", apiBaseUrl: url, batchSize: 1 };
    const target = join(modules, "pino-logflare/dist/index.js");
    require("pino")({ transport: { target, options } }).warn({ x: 1 }, "from a transport");
    return { source: "edge", expected: [{ message: "from a transport", contains: ['"level":"warning"', '"x":1'] }] };
  },

  async "pino-logflare, browser"({ url, token, modules }) {
    const { createPinoBrowserSend } = createRequire(`${modules}/`)("pino-logflare");
    const level = { label: "error", value: 50 };
    const event = { ts: 1787216400123, messages: ["from a browser", { k: 1 }], bindings: [{ n: 2 }], level };
    createPinoBrowserSend({ apiKey: token, sourceName: "edge", apiBaseUrl: url })("error", event);
    const found = { message: "from a browser", us: 1787216400123000, contains: ['"level":"error"', '"k":1', '"n":2'] };
    return { source: "edge", expected: [found] };
  },

  async "logflare-transport-core"({ url, token, modules }) {
    const { HttpClient } = createRequire(`${modules}/`)("logflare-transport-core");
    const client = new HttpClient({ apiKey: token, sourceName: "postgres.logs", apiBaseUrl: url });
    await client.postLogEvents([
      { message: "core", timestamp: "2026-08-20T09:00:00.123456Z", metadata: { level: "info" } },
    ]);
    return { source: "db", expected: [{ message: "core", us: 1787216400123456, contains: ['"level":"info"'] }] };
  },

  async "@loglayer/transport-logflare"({ url, token, modules }) {
    const require = createRequire(`${modules}/`);
    const { LogflareTransport } = require("@loglayer/transport-logflare");
    const { LogLayer } = require("loglayer");
    const log = (options) =>
      new LogLayer({ transport: new LogflareTransport({ sourceId: "auth", apiKey: token, url, ...options }) });
    log({ enableBatchSend: false }).withMetadata({ u: 7 }).info("from loglayer");
    const batching = log({ batchSize: 2 });
    batching.warn("first of a batch");
    batching.error("second of a batch");
    const expected = [
      { message: "from loglayer", contains: ['"level":"info"', '"u":7'] },
      { message: "first of a batch", contains: ['"level":"warn"'] },
      { message: "second of a batch", contains: ['"level":"error"'] },
    ];
    return { source: "auth", expected };
  },

  async "winston, HTTP transport"({ url, token, modules }) {
    const winston = createRequire(`${modules}/`)("winston");
    const { hostname: host, port } = new URL(url);
    const open = (options) => {
      const path = "/api/logs?source_name=rest";
      const transport = new winston.transports.Http({ host, port, path, headers: { "x-api-key": token }, ...options });
      return winston.createLogger({ transports: [transport] });
    };
    open({}).warn("from winston", { k: { v: 1 } });
    const batching = open({ batch: true, batchCount: 2, batchInterval: 100 });
    batching.info("winston 1");
    batching.info("winston 2");
    const expected = [
      { message: "from winston", contains: ['"level":"warn"', '"v":1'] },
      { message: "winston 1", contains: ['"level":"info"'] },
      { message: "winston 2" },
    ];
    return { source: "rest", expected };
  },

  "@opentelemetry/exporter-logs-otlp-http": (place) => sendOtlp(place, "http"),
  "@opentelemetry/exporter-logs-otlp-proto": (place) => sendOtlp(place, "proto"),

  "winston-loki, JSON": (place) => sendWinstonLoki(place, true),
  "winston-loki, protocol buffers": (place) => sendWinstonLoki(place, false),

  async "pino-loki"({ url, token, modules }) {
    const { pinoLoki } = await import(pathToFileURL(join(modules, "pino-loki/dist/index.mjs")).href);
    const basicAuth = { username: "user", password: token };
    const stream = await pinoLoki({ host: url, basicAuth, batching: false, labels: { application: "t" } });
    const pino = createRequire(`${modules}/`)("pino");
    pino({ base: null, timestamp: false }, stream).error("from pino-loki");
    const message = '{"level":50,"msg":"from pino-loki"}';
    return { source: "loki", expected: [{ message, contains: ['"level":"error"', '"application":"t"'] }] };
  },

  async "@elastic/elasticsearch, helpers.bulk"({ url, token, modules }) {
    const { Client } = createRequire(`${modules}/`)("@elastic/elasticsearch");
    const client = new Client({ node: url, auth: { apiKey: token } });
    const datasource = [
      { "@timestamp": "2026-08-20T09:00:00.123Z", message: "bulk 1", level: "INFO", n: 1 },
      { message: "bulk 2" },
    ];
    const send = (onDocument) => client.helpers.bulk({ datasource, onDocument });
    const result = await send(() => ({ index: { _index: "logs" } }));
    if (result.successful !== 2 || result.failed !== 0) throw new Error(JSON.stringify(result));
    for (let repeat = 0; repeat < 2; repeat++)
      await send(({ message }) => ({ create: { _index: "logs", _id: message } }));
    await client.close();
    const expected = [
      { message: "bulk 1", us: 1787216400123000, contains: ['"level":"info"', '"n":1', '"_index":"logs"'] },
      { message: "bulk 2" },
    ];
    return { source: "elastic", expected };
  },

  async "splunk-logging"({ url, token, modules }) {
    const { Logger } = createRequire(`${modules}/`)("splunk-logging");
    const logger = new Logger({ token, url: `${url}/services/collector/event/1.0`, maxBatchCount: 2 });
    await new Promise((resolve, reject) => {
      logger.error = reject;
      const done = (error, _response, body) =>
        error || body?.code !== 0 ? reject(error ?? new Error(String(body))) : resolve();
      logger.send({ message: "splunk 1", severity: "warn", metadata: { host: "h1", source: "s1" } }, done);
      logger.send({ message: { message: "splunk 2" }, severity: "info" }, done);
    });
    const expected = [{ message: "splunk 1", contains: ['"level":"warn"', '"host":"h1"', '"source":"s1"'] }];
    return { source: "splunk", expected };
  },
};

async function sendOtlp({ url, token, modules }, kind) {
  const require = createRequire(`${modules}/`);
  const { OTLPLogExporter } = require(`@opentelemetry/exporter-logs-otlp-${kind}`);
  const { LoggerProvider, SimpleLogRecordProcessor } = require("@opentelemetry/sdk-logs");
  const exporter = new OTLPLogExporter({ url: `${url}/v1/logs`, headers: { "x-api-key": token }, compression: "gzip" });
  const provider = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter })] });
  const attributes = { "http.method": "GET", n: 3, f: 1.5, ok: true, list: ["a", "b"], project: "p9" };
  const record = {
    timestamp: 1787216400123,
    severityNumber: 17,
    severityText: "ERROR",
    body: `via ${kind}`,
    attributes,
  };
  provider.getLogger("lib", "1").emit(record);
  await provider.forceFlush();
  const contains = ['"level":"error"', '"_http_method":"GET"', '"n":3', '"f":1.5', '"ok":true', '"project":"p9"'];
  return { source: "otel", expected: [{ message: `via ${kind}`, us: 1787216400123000, contains }] };
}

async function sendWinstonLoki({ url, token, modules }, json) {
  const require = createRequire(`${modules}/`);
  const winston = require("winston");
  const LokiTransport = require("winston-loki");
  const labels = { app: "web", project: "p9" };
  const format = winston.format.printf(({ message }) => String(message));
  const transport = new LokiTransport({ host: url, basicAuth: `user:${token}`, json, labels, format, batching: false });
  const message = `winston-loki ${json}`;
  winston.createLogger({ transports: [transport] }).warn(message);
  return { source: "loki", expected: [{ message, contains: ['"level":"warn"', '"app":"web"', '"project":"p9"'] }] };
}
