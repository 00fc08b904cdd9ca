import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { create, manage } from "./manage.ts";
import { privateToken, type Service, startService, stoppedMs } from "./service.ts";

let service: Service;

const email = "someone@example.com";
const secret = /uuu/i;
const firstMs = stoppedMs - 600_000;
const at = (second: number) => new Date(firstMs + second * 1_000).toISOString();
const ns = (second: number) => `${BigInt(firstMs + second * 1_000)}000000`;
const seconds = (second: number) => firstMs / 1_000 + second;

/** Ten lines of logfmt, every ten seconds from the first. */
const web = Array.from({ length: 10 }, (_, n) => [
  ns(n * 10),
  `status=${n % 2 === 0 ? 200 : 500} took=${(n + 1) * 10}ms size=${n}KB`,
  { trace: `t${n % 2}` },
]);
/** Three lines of JSON. */
const api = [5, 35, 65].map((second, n) => [ns(second), JSON.stringify({ user: `u${n % 2}`, ms: n + 1 })]);

beforeAll(async () => {
  service = await startService({ isStopped: true });
  const streams = [
    { stream: { app: "web", env: "prod" }, values: web },
    { stream: { app: "api", env: "prod" }, values: api },
    { stream: { app: "bad", env: "dev" }, values: [[`${ns(50).slice(0, -3)}789`, "no json"]] },
  ];
  const response = await fetch(`${service.url}/loki/api/v1/push`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${privateToken}` },
    body: JSON.stringify({ streams }),
  });
  expect(response.status).toBe(204);
  const events = (project: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({
      ...{ id: `${project}-${n}`, timestamp: at(100 + n), project, message: `${project} ${n} of ${email}` },
      metadata: { level: project === "uuu" ? "uuu-level" : "info", [`${project}_key`]: `${project}-value`, n },
    }));
  await service.ingest("edge", [...events("aaa", 3), ...events("uuu", 5)]);
  await create(service, {
    ...{ name: "mine", sandbox: true, parameters: { project: { type: "string", required: true } } },
    ...{
      tenant_parameter: "project",
      query: "WITH lines AS (SELECT * FROM edge WHERE project = @project) SELECT id FROM lines",
    },
  });
}, 60_000);

afterAll(() => service.stop());

type Parameters = Readonly<Record<string, string>>;

interface Answer {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the answers of another maker's API
  readonly body: any;
}

const window = { start: ns(0), end: ns(300) };

async function ask(
  path: string,
  parameters: Parameters,
  headers: Parameters = { "x-api-key": privateToken },
): Promise<Answer> {
  const response = await service.get(`/loki/api/v1/${path}`, parameters, headers);
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") === true;
  return { status: response.status, text, body: isJson ? JSON.parse(text) : undefined };
}

/** The lines of an answer, in the order in which they are told. */
async function lines(query: string, more: Parameters = {}): Promise<readonly string[]> {
  const { body, text } = await ask("query_range", { query, ...window, ...more });
  if (body === undefined) throw new Error(text);
  const all = body.data.result.flatMap(({ values }: { values: string[][] }) => values) as [string, string][];
  const sign = more.direction === "forward" ? 1 : -1;
  return all.sort(([a], [b]) => sign * Number(BigInt(a) - BigInt(b))).map(([, line]) => line);
}

/** The values of an instant query at 120 s, by their labels. */
async function instant(query: string): Promise<Readonly<Record<string, string>>> {
  const { body, text } = await ask("query", { query, time: ns(120) });
  if (body === undefined) throw new Error(text);
  if (body.data.resultType === "scalar") return { "": body.data.result[1] };
  const entries = body.data.result.map(({ metric, value }: { metric: Parameters; value: [number, string] }) => {
    const labels = Object.entries(metric).filter(([name]) => name !== "source" && name !== "env");
    return [
      labels
        .map(([name, each]) => `${name}=${each}`)
        .sort()
        .join(","),
      value[1],
    ];
  });
  return Object.fromEntries(entries);
}

const makeToken = async (document: object) => {
  const { status, body } = await manage(service, "POST", "/api/access-tokens", document);
  expect(status).toBe(201);
  return { id: String(body.id), token: String(body.token) };
};
const pinned = { scopes: ["query:endpoint:mine"], pins: { project: "aaa" } };
const selector = { query: '{source="lines"}', ...window };

describe("log queries", () => {
  it.each([
    ['{app="web"} |= "status=500"', ["100", "80", "60", "40", "20"]],
    ['{app=~"we.", env!="dev"} |~ "took=[12]0ms"', ["20", "10"]],
    ['{app="web"} | logfmt | status=200 and took>=50ms', ["90", "70", "50"]],
    ['{app="web"} | logfmt | size < 2KB', ["20", "10"]],
    ['{app="web"} | trace="t1" | logfmt | took < 50ms', ["40", "20"]],
    ['{source="loki", app="web"} != "200" !~ "[68]0ms"', ["100", "40", "20"]],
  ])("%s", async (query, taken) => {
    expect((await lines(query)).map((line) => /took=(\d+)/.exec(line)?.[1])).toEqual(taken);
  });

  it("has limit and direction, and the end is not included", async () => {
    expect(
      (await lines('{app="web"}', { limit: "2", direction: "forward" })).map((line) => line.slice(11, 20)),
    ).toEqual(["took=10ms", "took=20ms"]);
    expect(await lines('{app="web"}', { start: ns(10), end: ns(30), direction: "forward" })).toEqual([
      web[1]?.[1],
      web[2]?.[1],
    ]);
    expect(await lines('{app="web"} | logfmt | status=500 | line_format "{{.took}}"', { limit: "2" })).toEqual([
      "100ms",
      "80ms",
    ]);
  });

  it("tells streams, nanoseconds and, where asked for, fields apart", async () => {
    const query = '{app=~"bad|api"} | json';
    const parameters = { query, start: ns(30), end: ns(60), direction: "forward" };
    const stream = { source: "loki", env: "prod", app: "api", user: "u1", ms: "2" };
    const failed = { source: "loki", env: "dev", app: "bad" };
    const error = {
      __error__: "JSONParserErr",
      __error_details__: "Value looks like object, but can't find closing '}' symbol",
    };
    expect((await ask("query_range", parameters)).body.data.result).toEqual([
      { stream: { ...failed, ...error }, values: [[`${ns(50).slice(0, -3)}789`, "no json"]] },
      { stream, values: [[ns(35), api[1]?.[1]]] },
    ]);
    const flag = { "x-loki-response-encoding-flags": "categorize-labels", "x-api-key": privateToken };
    const { data } = (await ask("query_range", { ...parameters, query: '{app="web"} | logfmt status' }, flag)).body;
    expect(data.encodingFlags).toEqual(["categorize-labels"]);
    expect(data.result).toEqual([
      {
        stream: { source: "loki", env: "prod", app: "web" },
        values: [3, 4, 5].map((n) => [
          ...[web[n]?.[0], web[n]?.[1]],
          { structuredMetadata: { trace: `t${n % 2}` }, parsed: { status: n % 2 === 0 ? "200" : "500" } },
        ]),
      },
    ]);
  });
});

describe("metric queries", () => {
  it.each([
    ["vector(1)+vector(1)", { "": "2" }],
    ["1 + 2 * 3", { "": "7" }],
    ["10 / 4 > bool 2", { "": "1" }],
    ['count_over_time({env="prod"}[2m])', { "app=web,trace=t0": "4", "app=web,trace=t1": "5", "app=api": "3" }],
    ['sum by (app) (count_over_time({env="prod"}[121s]))', { "app=web": "10", "app=api": "3" }],
    ['count_over_time({app="web"}[1m] offset 1m)', { "app=web,trace=t0": "3", "app=web,trace=t1": "3" }],
    ['rate({app="web"} |= "500" [1m40s])', { "app=web,trace=t1": "0.04" }],
    ['bytes_over_time({app="api"}[2m])', { "app=api": "60" }],
    ['bytes_rate({app="api"}[1m])', { "app=api": String(20 / 60) }],
    ['sum(count_over_time({env="prod"}[2m]))', { "": "12" }],
    ['sum by (app) (count_over_time({source="loki"}[2m]))', { "app=web": "9", "app=api": "3", "app=bad": "1" }],
    ['sum without (app, env, source, trace) (count_over_time({env=~".+"}[2m]))', { "": "13" }],
    ['sum by (trace) (count_over_time({app="web"}[2m]))', { "trace=t0": "4", "trace=t1": "5" }],
    ['sum by (status) (count_over_time({app="web"} | logfmt [2m]))', { "status=200": "4", "status=500": "5" }],
    ['sum by (level, detected_level) (count_over_time({app="web"} | drop __error__ [2m]))', { "": "9" }],
    ['sum_over_time({app="api"} | json | unwrap ms [2m]) - 1', { "app=api,user=u0": "3", "app=api,user=u1": "1" }],
    ['sum by (app) (sum_over_time({app="web"} | logfmt | unwrap duration(took) [2m]))', { "app=web": "0.54" }],
    ['max_over_time({app="web"} | logfmt | unwrap bytes(size) [2m]) by (app)', { "app=web": "9000" }],
    [
      'min_over_time({app="web"} | logfmt | unwrap bytes(size) [2m]) by (status)',
      { "status=200": "2000", "status=500": "1000" },
    ],
    ['avg_over_time({app="api"} | json | unwrap ms [2m]) by (app)', { "app=api": "2" }],
    ['quantile_over_time(0.5, {app="api"} | json | unwrap ms [2m]) by (app)', { "app=api": "2" }],
    ['first_over_time({app="api"} | json | unwrap ms [2m]) by (app)', { "app=api": "1" }],
    ['last_over_time({app="api"} | json | unwrap ms [2m]) by (app)', { "app=api": "3" }],
    [
      'stdvar_over_time({app="web"} | logfmt | status=200 | unwrap bytes(size) [2m]) by (app)',
      { "app=web": "5000000" },
    ],
    ['stddev_over_time({app="api"} | json | user="u0" | unwrap ms [2m])', { "app=api,user=u0": "1" }],
    [
      'rate({app="api"} | json | unwrap ms [2m])',
      { "app=api,user=u0": String(4 / 120), "app=api,user=u1": String(2 / 120) },
    ],
    ['absent_over_time({app="nope"}[2m])', { "app=nope": "1" }],
    ['absent_over_time({app="web"}[2m])', {}],
    ['count(count_over_time({env="prod"}[2m]))', { "": "3" }],
    ['avg(count_over_time({env="prod"}[2m]))', { "": "4" }],
    ['min(count_over_time({env="prod"}[2m]))', { "": "3" }],
    ['max(count_over_time({env="prod"}[2m]))', { "": "5" }],
    ['stddev(sum by (app) (count_over_time({env="prod"}[2m])))', { "": "3" }],
    ['topk(1, count_over_time({env=~".+"}[2m]))', { "app=web,trace=t1": "5" }],
    ['bottomk(2, count_over_time({env=~".+"}[2m]))', { "app=bad": "1", "app=api": "3" }],
    ['count_over_time({env="prod"}[2m]) > 4', { "app=web,trace=t1": "5" }],
    ['sum by (app) (count_over_time({env="prod"}[2m])) > bool 5', { "app=web": "1", "app=api": "0" }],
    ['4 < count_over_time({env="prod"}[2m])', { "app=web,trace=t1": "5" }],
    ['sum(count_over_time({app="web"} |= "500" [2m])) / sum(count_over_time({app="web"}[2m]))', { "": String(5 / 9) }],
    [
      'sum by (app) (count_over_time({env="prod"}[2m])) / on() group_left sum(count_over_time({env="prod"}[2m]))',
      { "app=web": "0.75", "app=api": "0.25" },
    ],
    ['count_over_time({env="prod"}[2m]) and count_over_time({app="api"}[2m])', { "app=api": "3" }],
    [
      'count_over_time({env="prod"}[2m]) unless count_over_time({app="api"}[2m])',
      { "app=web,trace=t0": "4", "app=web,trace=t1": "5" },
    ],
    [
      'count_over_time({app="api"}[2m]) or count_over_time({app="web"}[2m])',
      { "app=web,trace=t0": "4", "app=web,trace=t1": "5", "app=api": "3" },
    ],
    ['count_over_time({app="api"}[2m]) / 0', { "app=api": "NaN" }],
    ['label_replace(count_over_time({app="api"}[2m]), "kind", "$1-x", "app", "(a.)i")', { "app=api,kind=ap-x": "3" }],
    ['count_over_time({app="bad"} | json | __error__="" [2m])', {}],
  ])("%s", async (query, expected) => {
    expect(await instant(query)).toEqual(expected);
  });

  it("has a value at each step, counted by the store and from lines alike", async () => {
    for (const query of [
      'sum without (trace) (count_over_time({app="web"}[30s]))',
      'count_over_time({app="web"} | logfmt | drop status, took, size, trace [30s])',
    ]) {
      const { body } = await ask("query_range", { query, start: ns(0), end: ns(140), step: "20" });
      expect(body.data.resultType).toBe("matrix");
      expect(body.data.result).toEqual([
        {
          metric: { source: "loki", env: "prod", app: "web" },
          values: ["1", "3", "3", "3", "3", "2", undefined, undefined].flatMap((value, step) =>
            value === undefined ? [] : [[seconds(step * 20), value]],
          ),
        },
      ]);
    }
  });

  it("leaves lines out that are not an interval apart", async () => {
    const sent = { interval: "25s", direction: "forward" };
    expect((await lines('{app="web"}', sent)).map((line) => /took=(\d+)/.exec(line)?.[1])).toEqual([
      ...["10", "40", "70", "100"],
    ]);
  });

  it("takes words in capitals, and skips parsers whose labels nobody asks for", async () => {
    expect(await instant('SUM BY (app) (COUNT_OVER_TIME({app="web"} | LOGFMT [2m]))')).toEqual({ "app=web": "9" });
    expect(await instant('sum(count_over_time({app="bad"} | json [2m]))')).toEqual({ "": "1" });
  });

  it("sorts", async () => {
    const { body } = await ask("query", { query: 'sort_desc(count_over_time({env=~".+"}[2m]))', time: ns(120) });
    expect(body.data.result.map(({ metric }: { metric: Parameters }) => metric.app)).toEqual([
      "web",
      "web",
      "api",
      "bad",
    ]);
  });
});

it("formats a query, by GET and by a form", async () => {
  const expected = { status: "success", data: 'sum by (app)(rate({app="web"} |= "x"[5m])) > 1' };
  const query = 'sum(rate({app = `web`}|="x" [5m])) by (app) >1';
  expect((await ask("format_query", { query })).body).toEqual(expected);
  const posted = await fetch(`${service.url}/loki/api/v1/format_query`, {
    method: "POST",
    headers: { "x-api-key": privateToken },
    body: new URLSearchParams({ query }),
  });
  expect(await posted.json()).toEqual(expected);
});

it("tells the kinds of lines, those of the most lines first, with counts at each step", async () => {
  const { body } = await ask("patterns", { ...window, query: '{env=~".+"}', step: "60" });
  const at = (second: number) => Math.floor(seconds(second) / 60) * 60;
  expect(body).toEqual({
    status: "success",
    data: [
      {
        pattern: "status=<_> took=<_>ms size=<_>KB",
        samples: [
          [at(0), 6],
          [at(60), 4],
        ],
      },
      {
        pattern: '{"<_>":"<_>","<_>":<_>}',
        samples: [
          [at(0), 2],
          [at(60), 1],
        ],
      },
      { pattern: "no json", samples: [[at(0), 1]] },
    ],
  });
  // Every line by itself, and more counts than a token may read.
  const fine = { ...window, query: '{app="web"}', step: "1" };
  expect((await ask("patterns", fine)).body.data[0].samples).toHaveLength(10);
  const { token } = await makeToken({ ...pinned, budget: { max_rows: 2 } });
  const bound = await ask("patterns", { ...selector, step: "1" }, { "x-api-key": token });
  expect([bound.status, bound.text]).toEqual([400, expect.stringContaining("more than 2 counts")]);
  const { body: own } = await ask("patterns", { ...window, query: '{source="edge"}' });
  expect(own.data[0]).toEqual({ pattern: "uuu <_> of <_>", samples: expect.any(Array) });
});

describe("what is refused", () => {
  it.each([
    ["query_range", { query: '{app="web"' }, /line 1, col 11: syntax error: unexpected end of the query, expected }/],
    ["query_range", {}, /query is required/],
    ["query_range", { query: '{app="web"}', limit: "5001" }, /max entries limit/],
    ["query_range", { query: '{app="web"}', direction: "up" }, /direction/],
    ["query_range", { query: '{app="web"}', start: "yesterday" }, /start must be/],
    ["query_range", { query: '{app="web"}', start: ns(2), end: ns(1) }, /end timestamp/],
    ["query_range", { query: 'rate({app="web"}[1m])', start: ns(0), end: ns(20_000), step: "1" }, /11,000 points/],
    ["query_range", { query: '{app="web"}', interval: "x" }, /interval must be a duration/],
    ["query_range", { query: 'rate({app="web"}[99999999999999y])' }, /line 1, col 18.*too long/],
    ["query_range", { query: '{app="web"} | json a="["' }, /line 1, col 20.*invalid JSON path/],
    ["query_range", { query: '{app="web"} |= ip("10.0.0.0/99")' }, /line 1, col 19.*invalid range of addresses/],
    ["query_range", { query: '{app="web"} | a=ip("x")' }, /line 1, col 20.*invalid range of addresses/],
    ["query", { query: 'label_replace(vector(1), "a", "b", "c", "(")' }, /line 1, col 41/],
    ["query", { query: "1 and 2" }, /must be series, not numbers/],
    ["query", { query: "vector()" }, /expected a number/],
    ["query", { query: "vector(-1)" }, /expected a number/],
    ["query_range", { query: '{app="web",}' }, /line 1, col 12/],
    ["query", { query: 'sum by (app,) (rate({app="web"}[1m]))' }, /line 1, col 13/],
    ["query", { query: '{app="web"}' }, /instant query type/],
    ["query", { query: 'count_over_time({app="bad"} | json [2m])', time: ns(120) }, /pipeline error: 'JSONParserErr'/],
    ["query", { query: 'rate({app="web"}[2m]) * on(env) rate({env="prod"}[2m])', time: ns(120) }, /Several series/],
    ["tail", { query: '{app="web"}' }, /tail is a WebSocket/],
    ["patterns", { query: '{app="web"} | json' }, /only label matchers/],
    ["patterns", {}, /query is required/],
    ["index/shards", { query: '{app="web"}' }, /index\/shards is not supported/],
    ["format_query", { query: '{app="web"' }, /line 1, col 11: syntax error/],
    ["label/app/values", { query: '{app="web"} |= "x"' }, /only label matchers/],
  ])("%s %j", async (path, parameters, message) => {
    const { status, text, body } = await ask(path, parameters);
    expect([status, body, text]).toEqual([400, undefined, expect.stringMatching(message)]);
  });
});

describe("labels, series and volumes", () => {
  it("are those of the time", async () => {
    expect((await ask("labels", window)).body.data).toEqual(["app", "env", "level", "project", "source"]);
    expect((await ask("labels", { start: ns(0), end: ns(60) })).body.data).toEqual(["app", "env", "source"]);
    expect((await ask("label/app/values", window)).body.data).toEqual(["api", "bad", "web"]);
    expect((await ask("label/app/values", { ...window, query: '{env="prod"}' })).body.data).toEqual(["api", "web"]);
    expect((await ask("series", { ...window, "match[]": '{env="dev"}' })).body.data).toEqual([
      { source: "loki", env: "dev", app: "bad" },
    ]);
  });

  it("are counted", async () => {
    const query = '{app="api"}';
    expect((await ask("index/stats", { ...window, query })).body).toEqual({
      ...{ streams: 1, chunks: 0, bytes: 60, entries: 3 },
    });
    expect((await ask("index/volume", { ...window, query: '{app=~".+"}' })).body.data.result).toEqual([
      { metric: { app: "web" }, value: [seconds(300), "291"] },
      { metric: { app: "api" }, value: [seconds(300), "60"] },
      { metric: { app: "bad" }, value: [seconds(300), "7"] },
    ]);
    expect((await ask("index/volume_range", { ...window, query, step: "60" })).body.data.result).toEqual([
      {
        metric: { app: "api" },
        values: [
          [seconds(59.999), "40"],
          [seconds(119.999), "20"],
        ],
      },
    ]);
    expect((await ask("detected_labels", { ...window, query })).body.detectedLabels).toEqual(
      ["app", "env", "source"].map((label) => ({ label, cardinality: 1 })),
    );
    expect((await ask("detected_fields", { ...window, query: '{app="api"} | json' })).body.fields).toEqual([
      { label: "ms", type: "int", cardinality: 3, parsers: ["json"] },
      { label: "user", type: "string", cardinality: 2, parsers: ["json"] },
    ]);
  });
});

describe("tenants, budgets and redaction", () => {
  const everything = [
    ["query_range", selector],
    ["query", { query: 'sum by (project, level, uuu_key) (count_over_time({source=~".+"}[1h]))', time: ns(300) }],
    ["query", { query: 'count_over_time({source=~".+"} | uuu_key!="x" [1h])', time: ns(300) }],
    ["query_range", { ...selector, query: 'sum(rate({source="lines"}[1m]))', step: "60" }],
    ["labels", window],
    ["label/level/values", window],
    ["label/project/values", window],
    ["label/uuu_key/values", window],
    ["series", { ...window, "match[]": '{source=~".+"}' }],
    ["index/stats", selector],
    ["index/volume", selector],
    ["index/volume_range", { ...selector, step: "60" }],
    ["detected_labels", window],
    ["detected_fields", selector],
    ["detected_field/level/values", selector],
    ["detected_field/uuu_key/values", selector],
    ["patterns", selector],
  ] as const;

  it("a pinned token is told its tenant's lines, names, values and counts alone", async () => {
    const { token } = await makeToken(pinned);
    const headers = { "x-api-key": token, "x-loki-response-encoding-flags": "categorize-labels" };
    for (const [path, parameters] of everything) {
      const { status, text } = await ask(path, parameters, headers);
      // Names that the query itself asks for are not told by the store.
      expect([path, status, text]).toEqual([path, 200, expect.not.stringMatching(secret)]);
    }
    expect((await ask("index/stats", selector, headers)).body).toMatchObject({ entries: 3, streams: 1 });
    expect((await ask("labels", window, headers)).body.data).toEqual(["level", "project", "source"]);
    expect((await ask("label/source/values", window, headers)).body.data).toEqual(["lines"]);
    const { body } = await ask("query", { query: 'count_over_time({source=~".+"}[1h])', time: ns(300) }, headers);
    expect(body.data.result.map(({ value }: { value: [number, string] }) => value[1])).toEqual(["3"]);
  });

  it.each(['" OR TRUE OR "" != "', "' OR TRUE --", "\\", "`", "\n", "\u0000", "\\u0022 OR TRUE --", "$$", "*/ /*"])(
    "the text %j stays a text in every place of the store's query",
    async (text) => {
      const { token } = await makeToken(pinned);
      const headers = { "x-api-key": token };
      const value = JSON.stringify(text);
      for (const query of [
        `{source="lines", level=${value}}`,
        `{source="lines"} |= ${value}`,
        `{source="lines", project=${value}}`,
        `{source=${value}, level="info"}`,
      ]) {
        const answer = await ask("query_range", { ...selector, query }, headers);
        expect([query, answer.status, answer.body?.data.result]).toEqual([query, 200, []]);
        const counted = await ask("query", { query: `count_over_time(${query} [1h])`, time: ns(300) }, headers);
        expect([query, counted.status, counted.body?.data.result]).toEqual([query, 200, []]);
      }
    },
  );

  it("X-Scope-OrgID is the tenant where the token pins none, and no other where it does", async () => {
    const free = await makeToken({ scopes: ["query:endpoint:mine"] });
    const missing = await ask("query_range", selector, { "x-api-key": free.token });
    expect([missing.status, missing.text]).toEqual([400, expect.stringContaining("X-Scope-OrgID")]);
    const asOther = await ask("index/stats", selector, { "x-api-key": free.token, "x-scope-orgid": "uuu" });
    expect(asOther.body).toMatchObject({ entries: 5 });
    const { token } = await makeToken(pinned);
    expect((await ask("index/stats", selector, { "x-api-key": token, "x-scope-orgid": "uuu" })).status).toBe(403);
    expect((await ask("index/stats", selector, { "x-api-key": token, "x-scope-orgid": "aaa" })).status).toBe(200);
  });

  it("a token comes as password, bearer or X-API-KEY, and is refused once it is revoked", async () => {
    const { id, token } = await makeToken(pinned);
    const forms: readonly Parameters[] = [
      { authorization: `Basic ${Buffer.from(`any:${token}`).toString("base64")}` },
      { authorization: `Bearer ${token}` },
      { "x-api-key": token },
    ];
    for (const headers of forms) expect((await ask("labels", window, headers)).status).toBe(200);
    await manage(service, "DELETE", `/api/access-tokens/${id}`);
    for (const headers of [...forms, {}]) {
      const { status, body } = await ask("labels", window, headers);
      expect([status, body]).toEqual([401, undefined]);
    }
    const ingest = await makeToken({ scopes: ["ingest"] });
    expect((await ask("labels", window, { "x-api-key": ingest.token })).status).toBe(401);
  });

  it("a token of several endpoints and not of logs.all is told to choose", async () => {
    const { token } = await makeToken({ scopes: ["query:endpoint:nope"] });
    const { status, text } = await ask("labels", window, { "x-api-key": token });
    expect([status, text]).toEqual([401, expect.stringContaining("none that takes queries")]);
  });

  it("lines, filters and counts are redacted by the header and by the token", async () => {
    const required = await makeToken({ ...pinned, redaction: "required" });
    const own = await makeToken(pinned);
    for (const headers of [
      { "x-api-key": required.token, "lf-endpoint-redact-pii": "false" },
      { "x-api-key": own.token, "lf-endpoint-redact-pii": "true" },
    ]) {
      const { text } = await ask("query_range", selector, headers);
      expect(text).toContain("of REDACTED");
      expect(text).not.toContain(email);
      const found = await ask("query_range", { ...selector, query: `{source="lines"} |= "${email}"` }, headers);
      expect(found.body.data.result).toEqual([]);
      expect((await ask("patterns", selector, headers)).body.data[0].pattern).toBe("aaa <_> of REDACTED");
      const counted = { query: `count_over_time({source="lines"} |= "${email}" [1h])`, time: ns(300) };
      expect((await ask("query", counted, headers)).body.data.result).toEqual([]);
      const extracted = { ...selector, query: '{source="lines"} | pattern "<a> of <mail>" | line_format "{{.mail}}"' };
      expect((await ask("query_range", extracted, headers)).text).not.toContain(email);
    }
    expect((await ask("query_range", selector, { "x-api-key": own.token })).text).toContain(email);
  });

  it("budgets of bytes and of a query's characters hold for what stages make too", async () => {
    const { token } = await makeToken({ ...pinned, budget: { max_result_bytes: 5_000, max_query_characters: 400 } });
    const headers = { "x-api-key": token };
    const big = { ...selector, query: `{source="lines"} | line_format \`{{ repeat 2000 "x" }}\`` };
    const { status, text } = await ask("query_range", big, headers);
    expect([status, text]).toEqual([400, expect.stringContaining("larger than 5000 characters")]);
    const long = { ...selector, query: `{source="lines"} |= "${"x".repeat(400)}"` };
    const refused = await ask("query_range", long, headers);
    expect([refused.status, refused.text]).toEqual([413, expect.stringContaining("max_query_characters")]);
  });

  it("a budget of rows holds: lines are fewer, and a number is refused rather than wrong", async () => {
    const { token } = await makeToken({ ...pinned, budget: { max_rows: 2 } });
    const headers = { "x-api-key": token };
    const { body } = await ask("query_range", selector, headers);
    expect(body.data.result.flatMap(({ values }: { values: unknown[] }) => values)).toHaveLength(2);
    for (const stages of ['| json | __error__=""', "| logfmt | drop __error__, __error_details__"]) {
      const { status, text } = await ask(
        "query",
        { query: `count_over_time({source="lines"} ${stages} [1h])`, time: ns(300) },
        headers,
      );
      expect([status, text]).toEqual([400, expect.stringContaining("more than")]);
    }
  });
});
