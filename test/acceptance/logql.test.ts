/**
 * Queries of the kinds that Loki's documentation of LogQL describes, with answers that were worked out by hand from
 * what it says: https://grafana.com/docs/loki/latest/query/. The lines are few, so that a reader can do the same.
 */
import { describe, expect } from "vitest";
import { pushStreams } from "./push-streams.ts";
import { privateToken, type Service, stoppedMs } from "./service.ts";
import { it } from "./shared-service.ts";

let service: Service;

const firstMs = stoppedMs - 600_000;
const ns = (second: number) => `${BigInt(firstMs + second * 1_000)}000000`;

/** Lines by the second at which they were written, for each stream. */
const shop = [
  [0, 'level=info method=GET path=/a status=200 took=100ms size=1KB msg="fine one"'],
  [10, 'level=error method=POST path=/b status=500 took=1.5s size=2KB msg="failed two"'],
  [20, 'level=info method=GET path=/a status=200 took=200ms size=3KB msg="fine three"'],
  [30, 'level=warn method=GET path=/c status=404 took=50ms size=1KiB msg="missing four"'],
  [40, 'level=error method=GET path=/b status=503 took=2s size=4KB msg="failed five"'],
  [50, 'level=info method=PUT path=/a status=201 took=300ms size=5KB msg="fine six"'],
] as const;
const disk = [
  [5, "disk full on 10.0.0.1"],
  [25, "disk ok on 192.168.1.7"],
] as const;
const auth = [
  [15, '{"user":{"name":"ann","id":1},"ok":true,"ms":12.5}'],
  [35, '{"user":{"name":"bob","id":2},"ok":false,"ms":7.5,"tags":["x","y"]}'],
  [55, '{"user":{"name":"ann","id":1},"ok":true,"ms":20}'],
] as const;
const nginx = [
  [12, '1.2.3.4 - - "GET /x HTTP/1.1" 200 512'],
  [42, '5.6.7.8 - - "POST /y HTTP/1.1" 502 64'],
] as const;
const other = [
  [33, `\u001b[31mred\u001b[0m`],
  [44, '{"_entry":"packed line","pod":"p1"}'],
] as const;

type Line = readonly [number, string];
const stream = (app: string, env: string, lines: readonly Line[]) => {
  return { stream: { app, env }, values: lines.map(([second, line]) => [ns(second), line]) };
};

it.beforeAll(async ({ sharedService }) => {
  service = sharedService;
  await pushStreams(service, [
    stream("shop", "prod", shop),
    stream("shop", "dev", disk),
    stream("auth", "prod", auth),
    stream("nginx", "prod", nginx),
    stream("other", "test", other),
  ]);
}, 60_000);

async function ask(path: string, parameters: Readonly<Record<string, string>>) {
  const response = await service.get(`/loki/api/v1/${path}`, parameters, { "x-api-key": privateToken });
  return { status: response.status, text: await response.text() };
}

async function answer<T>(path: string, parameters: Readonly<Record<string, string>>): Promise<T> {
  const { status, text } = await ask(path, parameters);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return (JSON.parse(text) as { data: T }).data;
}

interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
  readonly values: readonly (readonly [number, string])[];
}

interface Vector {
  readonly resultType: "vector";
  readonly result: readonly Series[];
}

/** The labels of a series but the source, which is the same for all. */
const nameOf = ({ metric }: Pick<Series, "metric">) =>
  Object.entries(metric)
    .filter(([name]) => name !== "source")
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join(" ");

/** The values of an instant query, by their labels. */
async function valuesOf(query: string, second = 60): Promise<readonly (readonly [string, number])[]> {
  type Found = { readonly resultType: "scalar"; readonly result: Series["value"] } | Vector;
  const found = await answer<Found>("query", { query, time: ns(second) });
  if (found.resultType === "scalar") return [["", Number(found.result[1])]];
  return found.result.map((each) => [nameOf(each), Number(each.value[1])]);
}

/** The lines that a query answers, the oldest first. */
async function linesOf(query: string, more: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const sent = { query, start: ns(0), end: ns(120), direction: "forward", ...more };
  const { result } = await answer<{ result: readonly { values: [string, string][] }[] }>("query_range", sent);
  const all = result.flatMap(({ values }) => values).sort(([a], [b]) => Number(BigInt(a) - BigInt(b)));
  return all.map(([, line]) => line);
}

const all = '{app=~"shop|auth|nginx"}';
const prod = '{app="shop", env="prod"}';
const bytes = (lines: readonly Line[]) => lines.reduce((sum, [, line]) => sum + Buffer.byteLength(line), 0);
const perApp = `sum by (app) (count_over_time(${all}[2m]))`;
const perEnv = `sum by (app, env) (count_over_time(${all}[2m]))`;
/** Counts the lines of the shop that a pipeline leaves. */
const left = (stages: string) => `sum(count_over_time(${prod} ${stages} [2m]))`;
const unwrapped = (operation: string, stages: string, selector = '{app="auth"}') =>
  `${operation}(${selector} ${stages} [2m])`;

const metrics: readonly (readonly [query: string, expected: Readonly<Record<string, number>>])[] = [
  // A range ends with the time of the query, and begins behind its length before.
  [`count_over_time(${prod}[1m])`, { "app=shop env=prod": 5 }],
  [`count_over_time(${prod}[61s])`, { "app=shop env=prod": 6 }],
  [`count_over_time(${prod}[10s])`, {}],
  [`count_over_time(${prod}[10s] offset 10s)`, { "app=shop env=prod": 1 }],
  [`count_over_time(${prod}[20s] offset 20s)`, { "app=shop env=prod": 2 }],
  [`count_over_time(${prod}[1m30s] offset 30s)`, { "app=shop env=prod": 4 }],
  [`count_over_time(${prod}[0.5m] offset 0.5m)`, { "app=shop env=prod": 3 }],
  [`rate(${prod}[1m])`, { "app=shop env=prod": 5 / 60 }],
  ['bytes_over_time({env="dev"}[2m])', { "app=shop env=dev": bytes(disk) }],
  ['bytes_rate({env="dev"}[2m])', { "app=shop env=dev": bytes(disk) / 120 }],
  ['absent_over_time({app="none", env="prod"}[1m])', { "app=none env=prod": 1 }],
  ['absent_over_time({app=~"none.*"}[1m])', { "": 1 }],
  [`absent_over_time(${prod}[1m])`, {}],
  [`absent_over_time(${prod}[5s])`, { "app=shop env=prod": 1 }],
  // Filters of lines.
  [left('|= "fine"'), { "": 3 }],
  [left('|= "FINE"'), {}],
  [left('|= "fine" or "missing"'), { "": 4 }],
  [left('|= "fine" or "missing" or "five"'), { "": 5 }],
  [left('|= "GET" |= "fine"'), { "": 2 }],
  [left('!= "fine" != "failed"'), { "": 1 }],
  [left('!= "fine" or "failed"'), { "": 1 }],
  [left('|~ "fa.led|miss"'), { "": 3 }],
  [left('|~ "(?i)FINE"'), { "": 3 }],
  [left('!~ "fine|failed"'), { "": 1 }],
  [left('|= `msg="fine`'), { "": 3 }],
  [left("|> `<_>status=5<_>`"), { "": 2 }],
  [left("!> `<_>status=5<_>`"), { "": 4 }],
  ['count_over_time({env="dev"} |= ip("10.0.0.0/8") [2m])', { "app=shop env=dev": 1 }],
  ['count_over_time({env="dev"} != ip("192.168.1.0-192.168.1.255") [2m])', { "app=shop env=dev": 1 }],
  ['count_over_time({env="dev"} |= ip("172.16.0.1") [2m])', {}],
  // Filters of labels: texts, numbers, durations, sizes.
  [left("| logfmt | status >= 500"), { "": 2 }],
  [left("| logfmt | status == 200"), { "": 2 }],
  [left('| logfmt | status="200"'), { "": 2 }],
  [left("| logfmt | took > 1s"), { "": 2 }],
  [left("| logfmt | took <= 0.1s"), { "": 2 }],
  [left("| logfmt | size > 2KB"), { "": 3 }],
  [left("| logfmt | size >= 1KiB"), { "": 5 }],
  [left('| logfmt | level="error" or status=404'), { "": 3 }],
  [left('| logfmt | (level="error" or status=404) and method="GET"'), { "": 2 }],
  [left('| logfmt | level="error" or status=404 and method="PUT"'), { "": 2 }],
  [left('| logfmt | level="error", method="GET"'), { "": 1 }],
  [left('| logfmt | level="error" method="GET"'), { "": 1 }],
  [left('| logfmt | level!~"info|warn"'), { "": 2 }],
  [left('| logfmt | level=~"inf"'), {}],
  [left('| logfmt | nothing=""'), { "": 6 }],
  [left('| logfmt | nothing!=""'), {}],
  [left('| logfmt status, latency="took" | latency < 100ms'), { "": 1 }],
  [left('| logfmt latency="took" | took < 100ms'), {}],
  ['sum(count_over_time({app="nginx"} | pattern `<ip> <_>` | ip=ip("1.0.0.0/8") [2m]))', { "": 1 }],
  // Parsers.
  ['sum by (user_name) (count_over_time({app="auth"} | json [2m]))', { "user_name=ann": 2, "user_name=bob": 1 }],
  ['sum by (who) (count_over_time({app="auth"} | json who="user.name" [2m]))', { "who=ann": 2, "who=bob": 1 }],
  ['sum by (first) (count_over_time({app="auth"} | json first="tags[0]" | first="x" [2m]))', { "first=x": 1 }],
  ['sum(count_over_time({app="auth"} | json | ok="true" [2m]))', { "": 2 }],
  ['sum(count_over_time({app="auth"} | json | user_id > 1 [2m]))', { "": 1 }],
  [
    'sum by (method, status) (count_over_time({app="nginx"} | pattern `<ip> - - "<method> <_> <_>" <status> <_>` [2m]))',
    { "method=GET status=200": 1, "method=POST status=502": 1 },
  ],
  [
    'sum by (code) (count_over_time({app="nginx"} | regexp "\\" (?P<code>\\\\d{3}) " [2m]))',
    { "code=200": 1, "code=502": 1 },
  ],
  ['sum by (pod) (count_over_time({app="other"} |= "packed" | unpack | pod="p1" [2m]))', { "pod=p1": 1 }],
  // Formats.
  [
    `sum by (verb, method) (count_over_time(${prod} | logfmt | label_format verb=method [2m]))`,
    {
      "verb=GET": 4,
      "verb=POST": 1,
      "verb=PUT": 1,
    },
  ],
  [
    `sum by (class) (count_over_time(${prod} | logfmt | label_format class=\`{{ regexReplaceAll "..$" .status "xx" }}\` [2m]))`,
    { "class=2xx": 3, "class=4xx": 1, "class=5xx": 2 },
  ],
  [
    `sum by (level, path) (count_over_time(${prod} | logfmt | drop path, level="info" [2m]))`,
    {
      "": 3,
      "level=error": 2,
      "level=warn": 1,
    },
  ],
  [
    `count_over_time(${prod} | logfmt | keep level [2m])`,
    {
      "level=error": 2,
      "level=info": 3,
      "level=warn": 1,
    },
  ],
  // Numbers in lines.
  [
    `sum by (user_name) (${unwrapped("sum_over_time", "| json | unwrap ms")})`,
    {
      "user_name=ann": 32.5,
      "user_name=bob": 7.5,
    },
  ],
  [`${unwrapped("avg_over_time", "| json | unwrap ms")} by (app)`, { "app=auth": 40 / 3 }],
  [`${unwrapped("min_over_time", "| json | unwrap ms")} by (app)`, { "app=auth": 7.5 }],
  [`${unwrapped("max_over_time", "| json | unwrap ms")} by (app)`, { "app=auth": 20 }],
  [`${unwrapped("first_over_time", "| json | unwrap ms")} by (app)`, { "app=auth": 12.5 }],
  [`${unwrapped("last_over_time", "| json | unwrap ms")} by (app)`, { "app=auth": 20 }],
  [`${unwrapped("stdvar_over_time", "| json | unwrap ms")} by (app)`, { "app=auth": 950 / 36 }],
  [`${unwrapped("stddev_over_time", "| json | unwrap ms")} by (app)`, { "app=auth": Math.sqrt(950 / 36) }],
  ['quantile_over_time(0.5, {app="auth"} | json | unwrap ms [2m]) by (app)', { "app=auth": 12.5 }],
  ['quantile_over_time(0.75, {app="auth"} | json | unwrap ms [2m]) by (app)', { "app=auth": 16.25 }],
  ['sum(rate({app="auth"} | json | unwrap ms [40s]))', { "": 27.5 / 40 }],
  [`max by (ok) (${unwrapped("max_over_time", "| json | unwrap ms")})`, { "ok=false": 7.5, "ok=true": 20 }],
  [`sum(${unwrapped("sum_over_time", "| logfmt | unwrap duration(took)", prod)})`, { "": 4.15 }],
  [`sum(${unwrapped("sum_over_time", "| logfmt | unwrap duration_seconds(took)", prod)})`, { "": 4.15 }],
  [`sum(${unwrapped("sum_over_time", "| logfmt | unwrap bytes(size)", prod)})`, { "": 16_024 }],
  [`sum(${unwrapped("sum_over_time", "| logfmt | level=`info` | unwrap status", prod)})`, { "": 601 }],
  [`sum(${unwrapped("sum_over_time", "| json | unwrap nothing")})`, {}],
  [`sum(${unwrapped("sum_over_time", '| logfmt | unwrap method | __error__=""', prod)})`, {}],
  [
    'sum(count_over_time({app="shop"} | json | __error__="JSONParserErr" | drop __error__, __error_details__ [2m]))',
    { "": 8 },
  ],
  ['sum(count_over_time({app="auth"} | json | __error__!="" [2m]))', {}],
  // Aggregations.
  [`sum(count_over_time(${all}[2m]))`, { "": 13 }],
  [perApp, { "app=auth": 3, "app=nginx": 2, "app=shop": 8 }],
  [`sum without (env, source) (count_over_time(${all}[2m]))`, { "app=auth": 3, "app=nginx": 2, "app=shop": 8 }],
  [`sum(count_over_time(${all}[2m])) by (env)`, { "env=dev": 2, "env=prod": 11 }],
  [`avg(${perApp})`, { "": 13 / 3 }],
  [`min(${perApp})`, { "": 2 }],
  [`max(${perApp})`, { "": 8 }],
  [`count by (env) (${perEnv})`, { "env=dev": 1, "env=prod": 3 }],
  [`stdvar(${perEnv})`, { "": 2.6875 }],
  [`stddev(${perEnv})`, { "": Math.sqrt(2.6875) }],
  [`topk(2, ${perApp})`, { "app=auth": 3, "app=shop": 8 }],
  [`bottomk(1, ${perApp})`, { "app=nginx": 2 }],
  [`topk by (env) (1, ${perEnv})`, { "app=shop env=dev": 2, "app=shop env=prod": 6 }],
  [`topk(10, ${perApp})`, { "app=auth": 3, "app=nginx": 2, "app=shop": 8 }],
  // Operations.
  ["1 + 2 * 3 ^ 2", { "": 19 }],
  ["2 ^ 3 ^ 2", { "": 512 }],
  ["(1 + 2) * 3", { "": 9 }],
  ["10 % 4 - 1", { "": 1 }],
  ["7 / 2", { "": 3.5 }],
  ["1 > bool 2", { "": 0 }],
  ["vector(2) * 3", { "": 6 }],
  ['sum(count_over_time({app="none"}[1m])) or vector(0)', { "": 0 }],
  [`${perApp} > 2`, { "app=auth": 3, "app=shop": 8 }],
  [`2 < ${perApp}`, { "app=auth": 3, "app=shop": 8 }],
  [`${perApp} > bool 2`, { "app=auth": 1, "app=nginx": 0, "app=shop": 1 }],
  [`${perApp} == 3`, { "app=auth": 3 }],
  [`${perApp} != 3`, { "app=nginx": 2, "app=shop": 8 }],
  [`${perApp} > sum by (app) (count_over_time({env="prod"}[2m]))`, { "app=shop": 8 }],
  [`${perApp} - sum by (app) (count_over_time({env="dev"}[2m]))`, { "app=shop": 6 }],
  [`${perApp} and sum by (app) (count_over_time({env="dev"}[2m]))`, { "app=shop": 8 }],
  [`${perApp} unless sum by (app) (count_over_time({env="dev"}[2m]))`, { "app=auth": 3, "app=nginx": 2 }],
  [`sum by (app) (count_over_time({env="dev"}[2m])) or ${perApp}`, { "app=auth": 3, "app=nginx": 2, "app=shop": 2 }],
  [
    `${perEnv} / on (app) group_left ${perApp}`,
    {
      "app=auth env=prod": 1,
      "app=nginx env=prod": 1,
      "app=shop env=dev": 0.25,
      "app=shop env=prod": 0.75,
    },
  ],
  [
    `${perEnv} / ignoring (env) group_left ${perApp}`,
    {
      "app=auth env=prod": 1,
      "app=nginx env=prod": 1,
      "app=shop env=dev": 0.25,
      "app=shop env=prod": 0.75,
    },
  ],
  [`${perApp} * on (app) group_right ${perEnv} > 20`, { "app=shop env=prod": 48 }],
  [
    'sum by (app) (count_over_time({app="nginx"}[2m])) * on (app) group_left (env) sum by (app, env) (count_over_time({app="nginx"}[2m]))',
    { "app=nginx env=prod": 4 },
  ],
  [`${perEnv} and on (env) sum by (env) (count_over_time({env="dev"}[2m]))`, { "app=shop env=dev": 2 }],
  [
    `label_replace(sum by (app) (count_over_time({app="nginx"}[2m])), "svc", "$1", "app", "(.{3}).*")`,
    {
      "app=nginx svc=ngi": 2,
    },
  ],
  [
    `label_replace(sum by (app) (count_over_time({app="nginx"}[2m])), "svc", "$1", "app", "(.{3})")`,
    {
      "app=nginx": 2,
    },
  ],
];

describe("a metric query at one time", () => {
  it.each(metrics)("%s", async (query, expected) => {
    const found = await valuesOf(query);
    expect(found.map(([name]) => name).sort()).toEqual(Object.keys(expected).sort());
    for (const [name, value] of found) expect([name, value]).toEqual([name, expect.closeTo(expected[name] ?? 0, 9)]);
  });

  it("tells as many series as topk asks for, also of equal ones", async () => {
    const status = 'sum by (status) (count_over_time({app="nginx"} | pattern `<_>" <status> <_>` [2m]))';
    expect(await valuesOf(`topk(1, ${status})`)).toHaveLength(1);
    expect(await valuesOf(`bottomk(1, ${status})`)).toHaveLength(1);
  });

  it("tells sorted series in their order", async () => {
    expect((await valuesOf(`sort(${perApp})`)).map(([, value]) => value)).toEqual([2, 3, 8]);
    expect((await valuesOf(`sort_desc(${perApp})`)).map(([, value]) => value)).toEqual([8, 3, 2]);
  });
});

describe("a metric query over a time", () => {
  it.each([
    // From the start on, by the step, up to the end.
    ["20s", "20s", 0, 60, { 0: 1, 20: 2, 40: 2, 60: 1 }],
    ["25s", "25s", 0, 60, { 0: 1, 25: 2, 50: 3 }],
    ["20", "10s", 5, 60, { 5: 1, 25: 1, 45: 1 }],
    // Where a range holds no line there is no value.
    ["10s", "5s", 3, 63, { 3: 1, 13: 1, 23: 1, 33: 1, 43: 1, 53: 1 }],
    ["5s", "5s", 0, 20, { 0: 1, 10: 1, 20: 1 }],
    ["30000ms", "1m", 0, 90, { 0: 1, 30: 4, 60: 5, 90: 2 }],
  ] as const)("every %s over [%s] from %d to %d", async (step, range, start, end, expected) => {
    const query = `count_over_time(${prod}[${range}])`;
    const sent = { query, start: ns(start), end: ns(end), step };
    const { result } = await answer<{ result: readonly Series[] }>("query_range", sent);
    const values = result
      .flatMap((each) => each.values)
      .map(([time, value]) => [time - firstMs / 1_000, Number(value)]);
    expect(values).toEqual(Object.entries(expected).map(([second, value]) => [Number(second), value]));
  });

  it("repeats a number at every step", async () => {
    const sent = { query: "vector(1) + 1", start: ns(0), end: ns(40), step: "20s" };
    const { result } = await answer<{ result: readonly Series[] }>("query_range", sent);
    expect(result.map(({ values }) => values.map(([, value]) => value))).toEqual([["2", "2", "2"]]);
  });
});

/** Templates, and what they make of the shop's first line. */
const templates: readonly (readonly [template: string, line: string])[] = [
  ["{{.method | lower}} {{.path}} {{.level | upper}}", "get /a INFO"],
  ["{{ ToLower .method }} {{ ToUpper .level }}", "get INFO"],
  ['{{ printf "%-6s|%5s" .level .status }}', "info  |  200"],
  ['{{ if eq .level "error" }}E{{ else if eq .level "info" }}I{{ else }}?{{ end }}', "I"],
  ['{{ if and (eq .level "info") (ne .status "500") }}fine{{ end }}', "fine"],
  ['{{ if or (eq .level "x") (not (eq .status "200")) }}a{{ else }}b{{ end }}', "b"],
  ["{{ add 1 2 3 }} {{ sub 5 2 }} {{ mul 2 3 }} {{ div 7 2 }} {{ mod 7 2 }}", "6 3 6 3 1"],
  ["{{ addf 1.5 2 }} {{ subf 5.5 2 }} {{ mulf 1.5 2 }} {{ divf 1 4 }}", "3.5 3.5 3 0.25"],
  ["{{ max 1 5 3 }} {{ min 4 2 3 }} {{ maxf 1 2.5 }} {{ minf 1 2.5 }}", "5 2 2.5 1"],
  ["{{ floor 1.7 }} {{ ceil 1.2 }} {{ round 1.2345 2 }}", "1 2 1.23"],
  ["{{ trunc 3 .msg }}|{{ trunc -3 .msg }}|{{ substr 0 2 .msg }}", "fin|one|fi"],
  ['{{ replace "o" "0" .msg }} {{ .msg | replace "one" "1" }}', "fine 0ne fine 1"],
  ['{{ trim "  x " }}{{ trimAll "$" "$5$" }}{{ trimPrefix "/" .path }}{{ trimSuffix "00" .status }}', "x5a2"],
  [
    '{{ Replace .msg "o" "0" 1 }} {{ Trim "xyx" "x" }} {{ TrimLeft "xyx" "x" }} {{ TrimSpace " y " }}',
    "fine 0ne y yx y",
  ],
  ["{{ alignLeft 5 .level }}|{{ alignRight 5 .level }}|{{ alignLeft 2 .level }}", "info | info|in"],
  ['{{ .nothing | default "-" }}{{ default "-" .path }}', "-/a"],
  ['{{ contains "one" .msg }} {{ hasPrefix "fin" .msg }} {{ hasSuffix "x" .msg }}', "true true false"],
  ['{{ repeat 3 "ab" }} {{ title "one two" }}{{ indent 2 .level }}', "ababab One Two  info"],
  ['{{ count "o" .msg }} {{ int "7" }} {{ float64 "1.5" }}', "1 7 1.5"],
  ['{{ urlencode "a b&c" }} {{ urldecode "a%20b" }}', "a+b%26c a b"],
  ['{{ b64enc "x" }} {{ b64dec "eA==" }}', "eA== x"],
  ['{{ duration "1500ms" }} {{ duration_seconds "2m" }} {{ bytes "2KB" }}', "1.5 120 2000"],
  ["{{ __line__ | trunc 10 }}", "level=info"],
  ['{{ regexReplaceAll "(o)(.)" .msg "$2$1" }}', "fine noe"],
  ['{{ regexReplaceAllLiteral "o" .msg "$1" }}', "fine $1ne"],
  ["{{ lt 1 2 }} {{ ge 2 2 }} {{ gt 1 2 }} {{ le 3 2 }}", "true true false false"],
  ["{{/* nothing */}}x {{- .path -}} y", "x/ay"],
];

describe("a log query", () => {
  it.each(templates)("writes lines by %s", async (template, line) => {
    expect(await linesOf(`${prod} | logfmt | line_format \`${template}\``, { limit: "1" })).toEqual([line]);
  });

  it.each([
    [`${prod} |= "fine"`, [0, 2, 5]],
    [`${prod} |= "GET" != "/a"`, [3, 4]],
    [`${prod} | logfmt | line_format "{{.msg}}" |= "failed" | line_format "{{__line__}}"`, undefined],
  ])("%s", async (query, places) => {
    const expected = places?.map((place) => shop[place]?.[1]) ?? ["failed two", "failed five"];
    expect(await linesOf(query)).toEqual(expected);
  });

  it("includes its start and not its end, and limits from its direction's beginning", async () => {
    const lines = shop.map(([, line]) => line);
    expect(await linesOf(prod, { start: ns(10), end: ns(30) })).toEqual(lines.slice(1, 3));
    expect(await linesOf(prod, { limit: "2" })).toEqual(lines.slice(0, 2));
    expect(await linesOf(prod, { limit: "2", direction: "backward" })).toEqual(lines.slice(4));
  });

  it("takes colours away, and unpacks lines", async () => {
    expect(await linesOf('{app="other"} |= "red" | decolorize')).toEqual(["red"]);
    expect(await linesOf('{app="other"} |= "packed" | unpack')).toEqual(["packed line"]);
  });
});

describe("what has no answer", () => {
  const now = { time: ns(60) };
  it.each([
    ["query", { ...now, query: `sum_over_time(${prod} | logfmt | unwrap method [2m])` }, /SampleExtractionErr/],
    ["query", { ...now, query: `sum_over_time(${prod} | logfmt [2m])` }, /unwrap/],
    ["query", { ...now, query: 'sum_over_time({app="auth"} | json | unwrap ms [2m]) by (app)' }, /grouping|by/],
    ["query", { ...now, query: `count_over_time(${prod} | logfmt | unwrap status [2m])` }, /unwrap/],
    ["query", { ...now, query: `${perEnv} / on (app) ${perApp}` }, /[Ss]everal series|many-to-one/],
    ["query", { ...now, query: 'count_over_time({app="shop"} | json [2m])' }, /JSONParserErr/],
    ["query", { ...now, query: 'rate_counter({app="auth"} | json | unwrap ms [2m])' }, /rate_counter/],
    ["query", { ...now, query: `approx_topk(2, ${perApp})` }, /approx_topk/],
    ["query", { ...now, query: "count_over_time({}[2m])" }, /./],
    ["query", { ...now, query: 'count_over_time({app=~".*"}[2m])' }, /./],
    ["query", { ...now, query: `rate(${prod})` }, /./],
    ["query", { ...now, query: `topk(${perApp})` }, /./],
    ["query", { ...now, query: `${prod} |= "x" [5m]` }, /./],
    ["query_range", { query: `${prod} | line_format "{{ range .a }}{{ end }}"` }, /range/],
    ["query_range", { query: `${prod} | line_format "{{ now }}"` }, /now/],
    ["query_range", { query: `${prod} | line_format "{{ date \\"2006\\" now }}"` }, /date|now/],
    ["query_range", { query: `${prod} | line_format "{{ nope .a }}"` }, /nope/],
    ["query_range", { query: `${prod} | distinct app` }, /distinct/],
    ["query_range", { query: `${prod} |~ "("` }, /./],
    ["query_range", { query: `${prod} | regexp "no group"` }, /./],
    ["query_range", { query: `${prod} | pattern "no capture"` }, /./],
  ] as const)("%s %j", async (path, parameters, message) => {
    expect(await ask(path, parameters)).toEqual({ status: 400, text: expect.stringMatching(message) });
  });
});
