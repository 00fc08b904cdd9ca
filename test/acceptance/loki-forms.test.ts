/**
 * Requests as Grafana's Loki data source sends them, taken from its source (`pkg/tsdb/loki` and
 * `public/app/plugins/datasource/loki` of grafana/grafana), and what it reads of the answers.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pushStreams } from "./push-streams.ts";
import { privateToken, type Service, startService, stoppedMs } from "./service.ts";

let service: Service;

const firstMs = stoppedMs - 600_000;
/** As the server of Grafana writes times. */
const ns = (second: number) => `${BigInt(firstMs + second * 1_000)}000000`;
/** As its pages do: a double's digits. */
const pageNs = (second: number) => String((firstMs + second * 1_000) * 1_000_000);

const web = [0, 10, 20, 30].map((second) => [
  ns(second),
  `level=${second % 20 === 0 ? "info" : "error"} path=/p${second} took=${second}ms`,
  { trace: `t${second}` },
]);
const api = [5, 25].map((second) => [ns(second), JSON.stringify({ user: `u${second}`, ms: second })]);

beforeAll(async () => {
  service = await startService({ isStopped: true });
  await pushStreams(service, [
    { stream: { app: "web", level: "info" }, values: web },
    { stream: { app: "api", level: "warn" }, values: api },
  ]);
}, 60_000);

afterAll(() => service.stop());

type Values = Readonly<Record<string, string>>;

/** Basic authentication, as the data source is set up, and the headers of its server. */
const headers = {
  authorization: `Basic ${Buffer.from(`grafana:${privateToken}`).toString("base64")}`,
  "x-loki-response-encoding-flags": "categorize-labels",
  "user-agent": "Grafana/13.0.1",
  "accept-encoding": "gzip",
};

async function ask(path: string, parameters: Values, more: Values = {}) {
  const response = await service.get(`/loki/api/v1/${path}`, parameters, { ...headers, ...more });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  // biome-ignore lint/suspicious/noExplicitAny: the answers of another maker's API
  return { status: response.status, text, body: (isJson ? JSON.parse(text) : undefined) as any };
}

/** The data of a query, by the server's form of requests: names in their order, steps in milliseconds. */
async function query(expr: string, kind: { step: number; limit?: string } | "instant", tags?: string) {
  const limit = kind !== "instant" && kind.limit !== undefined ? { limit: kind.limit } : {};
  const [path, times] =
    kind === "instant"
      ? (["query", { time: ns(60) }] as const)
      : (["query_range", { start: ns(0), end: ns(60), step: `${kind.step}ms` }] as const);
  const sent = { direction: "backward", ...limit, query: expr, ...times };
  const { status, body, text } = await ask(path, sent, tags === undefined ? {} : { "x-query-tags": `Source=${tags}` });
  expect([status, text]).toEqual([200, expect.any(String)]);
  return body.data;
}

/** The data that its pages find in the answer of a resource. */
async function metadata(path: string, parameters: Values = {}) {
  const sent = { start: pageNs(-300), end: pageNs(600), ...parameters };
  const { status, body, text } = await ask(path, sent);
  expect([status, text]).toEqual([200, expect.any(String)]);
  return body.data ?? body.values ?? body.fields ?? body.detectedLabels ?? body;
}

const selector = '{app="web"}';

describe("Grafana's Loki data source", () => {
  it("is healthy: two and one value, where it asks for the second 4", async () => {
    const { body } = await ask("query", { direction: "backward", query: "vector(1)+vector(1)", time: "4000000000" });
    expect(body).toMatchObject({ status: "success", data: { resultType: "vector" } });
    expect(
      body.data.result.map(({ metric, value }: { metric: object; value: string[] }) => [metric, value[1]]),
    ).toEqual([[{}, "2"]]);
  });

  it("reads lines for Explore, with what each was written with and what parsers made of it", async () => {
    const data = await query(`${selector} | logfmt path`, { step: 500, limit: "1000" });
    expect(data).toMatchObject({ resultType: "streams", encodingFlags: ["categorize-labels"] });
    expect(data.result).toEqual([
      {
        stream: { source: "loki", app: "web", level: "info" },
        values: [...web]
          .reverse()
          .map(([time, line, structuredMetadata], index) => [
            ...[time, line],
            { structuredMetadata, parsed: { path: `/p${30 - index * 10}` } },
          ]),
      },
    ]);
  });

  it("draws the volume of logs by level, and reads samples of a query's lines", async () => {
    const volume = "sum by (level, detected_level) (count_over_time({app=~`.+`} | drop __error__[20000ms]))";
    const { resultType, result } = await query(volume, { step: 20_000 }, "logvolhist");
    expect(resultType).toBe("matrix");
    const byLevel = result.map(({ metric, values }: { metric: Values; values: [number, string][] }) => [
      metric.level,
      values.map(([time, value]) => [time - firstMs / 1_000, Number(value)]),
    ]);
    expect(byLevel).toEqual([
      [
        "info",
        [
          [0, 1],
          [20, 2],
          [40, 1],
        ],
      ],
      [
        "warn",
        [
          [20, 1],
          [40, 1],
        ],
      ],
    ]);
    for (const [tags, limit] of [
      ["logsample", "100"],
      ["datasample", "10"],
    ] as const) {
      const sample = await query(selector, { step: 1_000, limit }, tags);
      expect(sample.result[0].values).toHaveLength(4);
    }
  });

  it("evaluates rules of alerts and annotations at one time, and graphs at each step", async () => {
    const rule = `sum by (app) (count_over_time({level=~".+"}[5m])) > 3`;
    expect((await query(rule, "instant")).result).toEqual([
      { metric: { app: "web" }, value: [firstMs / 1_000 + 60, "4"] },
    ]);
    const graph = await query(`sum(rate(${selector} |= "error" [30s]))`, { step: 15_000 });
    expect(graph.result[0].values.map(([time]: [number]) => time - firstMs / 1_000)).toEqual([15, 30, 45]);
  });

  it("reads the lines before and behind one", async () => {
    const context = (direction: string, from: number, to: number) =>
      ask("query_range", {
        ...{ direction, limit: "1", query: '{app="web",level="info"}', step: "7200ms" },
        ...{ start: ns(from), end: ns(to) },
      });
    const times = async (answer: ReturnType<typeof context>) =>
      (await answer).body.data.result.flatMap(({ values }: { values: string[][] }) => values.map(([time]) => time));
    expect(await times(context("backward", -7_200, 20))).toEqual([ns(10)]);
    expect(await times(context("forward", 20, 7_220))).toEqual([ns(20)]);
  });

  it("fills the browser of labels, variables and the editor", async () => {
    expect(await metadata("labels")).toEqual(["app", "level", "source"]);
    expect(await metadata("labels", { query: selector })).toEqual(["app", "level", "source"]);
    expect(await metadata("label/app/values")).toEqual(["api", "web"]);
    expect(await metadata("label/app/values", { query: '{level="warn"}' })).toEqual(["api"]);
    expect(await metadata("series", { "match[]": '{app=~"w.*"}' })).toEqual([
      { app: "web", level: "info", source: "loki" },
    ]);
    expect(await metadata("index/stats", { query: selector })).toEqual({
      ...{ streams: 1, chunks: 0, entries: 4 },
      bytes: web.reduce((sum, [, line]) => sum + Buffer.byteLength(String(line)), 0),
    });
    expect(await metadata("detected_labels")).toContainEqual({ label: "app", cardinality: 2 });
  });

  it("is told the fields of lines with the parsers that find them, and their values", async () => {
    const fields = await metadata("detected_fields", { query: '{app=~".+"}', limit: "10" });
    expect(fields.map(({ label, parsers }: { label: string; parsers: unknown }) => [label, parsers])).toEqual([
      ["level_extracted", ["logfmt"]],
      ["ms", ["json"]],
      ["path", ["logfmt"]],
      ["took", ["logfmt"]],
      ["trace", null],
      ["user", ["json"]],
    ]);
    const parsed = await metadata("detected_fields", { query: `${selector} | logfmt path`, limit: "1000" });
    expect(parsed.map(({ label, parsers }: { label: string; parsers: unknown }) => [label, parsers])).toEqual([
      ["path", ["logfmt"]],
      ["trace", null],
    ]);
    const values = (name: string, sent: Values) =>
      metadata(`detected_field/${name}/values`, { limit: "1000", ...sent });
    expect(await values("user", { query: '{app="api"}' })).toEqual(["u25", "u5"]);
    expect(await values("trace", { query: selector, limit: "2" })).toEqual(["t0", "t10"]);
    expect(await values("none", { query: selector })).toEqual([]);
    expect(await ask("detected_field/user/values", {})).toMatchObject({ status: 400, body: undefined });
  });

  it("shows volumes and patterns for Logs Drilldown", async () => {
    const sent = { query: '{app=~".+"}', limit: "5000", targetLabels: "app" };
    const volumes = await metadata("index/volume", sent);
    expect(volumes.result.map(({ metric }: { metric: Values }) => metric.app)).toEqual(["web", "api"]);
    const patterns = await metadata("patterns", { query: selector, step: "60s" });
    expect(patterns[0]).toEqual({ pattern: expect.stringContaining("took=<_>"), samples: expect.any(Array) });
  });

  it("has no rules of its own, which its page of rules takes for an answer, and no ruler to write them to", async () => {
    // pkg/services/ngalert/api/lotex_prom.go and lotex_ruler.go; a 404 of the ruler is "not supported".
    const get = async (path: string) => {
      const response = await service.get(path, {}, headers);
      return [response.status, response.status === 200 ? await response.json() : undefined];
    };
    expect(await get("/prometheus/api/v1/rules")).toEqual([200, { status: "success", data: { groups: [] } }]);
    expect(await get("/prometheus/api/v1/alerts")).toEqual([200, { status: "success", data: { alerts: [] } }]);
    for (const path of ["/api/prom/rules", "/api/prom/rules/test/test", "/loki/api/v2alpha/tail"]) {
      expect((await get(path))[0], path).toBe(404);
    }
  });

  it("finds no shards of streams to ask for one by one", async () => {
    // shardQuerySplitting.ts
    expect(await metadata("label/__stream_shard__/values", { query: selector })).toEqual([]);
  });

  it("adds filters, parsers and formats to queries as its builder does", async () => {
    // modifyQuery.ts and querybuilder/operations.ts: what a click on a field, an ad hoc filter or a hint adds.
    const lines = async (expr: string) =>
      (await query(expr, { step: 1_000, limit: "1000" })).result.flatMap(({ values }: { values: unknown[] }) => values);
    for (const [expr, count] of [
      ['{app="web", level!="warn"} | trace=`t10`', 1],
      ["{app=~`web|api`} |= `` | logfmt | __error__=`` | path=`/p0`", 1],
      ["{app=`web`} | logfmt | level_extracted=`error`", 2],
      ["{app=~`.+`} | json | drop __error__, __error_details__ | user=`u5`", 1],
      ["{app=`web`} | logfmt | label_format status=path", 4],
      ["{app=`web`} | decolorize | line_format `{{.trace}}` |~ `(?i)T1`", 1],
    ] as const) {
      expect(await lines(expr), expr).toHaveLength(count);
    }
    const quantile =
      "quantile_over_time(0.95, {app=`web`} | logfmt | unwrap duration(took) | __error__=`` [2m]) by (app)";
    expect((await query(quantile, "instant")).result).toEqual([
      { metric: { app: "web" }, value: [expect.any(Number), expect.stringMatching(/^0\.028(?:5|49)/)] },
    ]);
  });

  it("tells the reason of a refusal as the answer's text", async () => {
    const { status, text, body } = await ask("query_range", { query: '{app="web"} | nope(', start: ns(0), end: ns(1) });
    expect([status, body, text]).toEqual([400, undefined, expect.stringContaining("parse error at line 1")]);
  });
});

/** Requests of grafana/logs-drilldown 2.5.1: `src/services/datasource.ts`, `TagKeysProviders.ts`, `expressions.ts`. */
describe("Grafana's Logs Drilldown", () => {
  const times = { start: new Date(firstMs - 300_000).toISOString(), end: new Date(firstMs + 600_000).toISOString() };
  const tags = { "x-query-tags": "Source=grafana-lokiexplore-app" };
  const resource = async (path: string, sent: Values = {}, isTimed = true) => {
    const { status, body, text } = await ask(path, isTimed ? { ...times, ...sent } : sent, tags);
    expect([status, text]).toEqual([200, expect.any(String)]);
    return body;
  };

  it("is told the limits of the token before it asks for anything", async () => {
    expect(await resource("drilldown-limits", {}, false)).toMatchObject({
      limits: { max_entries_limit_per_query: 5_000, volume_enabled: true },
      ...{ pattern_ingester_enabled: true, version: "unknown" },
    });
  });

  it("lists what it can start from, with the volume of each", async () => {
    expect((await resource("labels")).data).toContain("app");
    const { data } = await resource("index/volume", { query: "{app=~`.+`}", limit: "5000" });
    expect(data.result.map(({ metric }: { metric: Values }) => metric)).toEqual([{ app: "web" }, { app: "api" }]);
    const { detectedLabels } = await resource("detected_labels", { query: "" });
    expect(detectedLabels).toContainEqual({ label: "level", cardinality: 2 });
  });

  it("breaks one service down by fields, labels and patterns", async () => {
    const { fields } = await resource("detected_fields", { query: "{app=`web`}" });
    expect(fields.map(({ label }: { label: string }) => label)).toEqual(["level_extracted", "path", "took", "trace"]);
    const { values } = await resource("detected_field/path/values", { query: "{app=`web`} | logfmt", limit: "1000" });
    expect(values).toEqual(["/p0", "/p10", "/p20", "/p30"]);
    expect((await resource("patterns", { query: "{app=`web`}", step: "10s" })).data).toHaveLength(2);
  });

  it("counts lines by a label, a field, and what a mixed query finds", async () => {
    const mixed = "| json  | logfmt | drop __error__, __error_details__";
    for (const [expr, keys] of [
      ["sum(count_over_time({app=`web`}       [2m])) by (level)", ["info"]],
      [`sum by (path) (count_over_time({app=\`web\`} ${mixed} | path!="" [2m]))`, ["/p0", "/p10", "/p20", "/p30"]],
      ["sum by (trace) (count_over_time({app=`web`} | trace!=`` [2m]))", ["t0", "t10", "t20", "t30"]],
    ] as const) {
      const { result } = await query(expr, "instant", "grafana-lokiexplore-app");
      expect(result.flatMap(({ metric }: { metric: Values }) => Object.values(metric)).sort(), expr).toEqual(keys);
    }
  });

  it("finds no levels, which it asks for by a name that only Loki gives to lines", async () => {
    expect((await query("sum by (detected_level) (count_over_time({app=`web`} [2m]))", "instant")).result).toEqual([
      { metric: {}, value: [expect.any(Number), "4"] },
    ]);
  });
});

describe("other clients", () => {
  it("send a form by POST, and how long ago instead of a start", async () => {
    const response = await fetch(`${service.url}/loki/api/v1/query_range`, {
      method: "POST",
      headers: { "x-api-key": privateToken, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ query: selector, since: "590s", end: ns(600), limit: "10", direction: "FORWARD" }),
    });
    const { data } = (await response.json()) as { data: { result: { values: string[][] }[] } };
    expect(data.result.map(({ values }) => values[0]?.[0])).toEqual([ns(10), ns(20), ns(30)]);
  });

  it("send times as seconds with decimals, and as RFC 3339", async () => {
    for (const start of [`${firstMs / 1_000 + 10}.5`, new Date(firstMs + 10_500).toISOString()]) {
      const { body } = await ask("query_range", { query: selector, start, end: ns(60) });
      expect(body.data.result[0].values).toHaveLength(2);
    }
  });
});
