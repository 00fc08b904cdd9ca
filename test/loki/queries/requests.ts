import { firstMs, nsAt } from "../pushed-lines.ts";

const isoAt = (second: number) => new Date(firstMs + second * 1_000).toISOString();
const seconds = (second: number) => firstMs / 1_000 + second;

type Parameters = Readonly<Record<string, string>>;

/** Requests that are no plain queries: other routes, and parameters of queries. Times are added where they have none. */
export const requests: Readonly<Record<string, readonly (readonly [path: string, parameters: Parameters])[]>> = {
  "limits, directions and times": [
    ["query_range", { query: '{app="ticks"}', limit: "3" }],
    ["query_range", { query: '{app="ticks"}', limit: "3", direction: "forward" }],
    ["query_range", { query: '{app="ticks"}', limit: "3", direction: "FORWARD" }],
    ["query_range", { query: '{app="ticks"}' }],
    ["query_range", { query: '{app=~".+"}', limit: "10" }],
    ["query_range", { query: '{app=~".+"}', limit: "10", direction: "forward" }],
    ["query_range", { query: '{app=~".+"} |= "a"', limit: "25", direction: "forward" }],
    ["query_range", { query: '{app=~".+"} | json | __error__=""', limit: "5" }],
    ["query_range", { query: '{app="odd"}', direction: "forward", start: nsAt(9), end: nsAt(9) }],
    ["query_range", { query: '{app="odd"}', direction: "forward", start: nsAt(9), end: nsAt(10) }],
    ["query_range", { query: '{app="odd"}', direction: "backward", start: nsAt(9), end: nsAt(10) }],
    ["query_range", { query: '{app="odd"}', direction: "backward", start: nsAt(9), end: nsAt(10), limit: "2" }],
    ["query_range", { query: '{app="odd"}', direction: "forward", start: nsAt(10), end: nsAt(10.001) }],
    ["query_range", { query: '{app="odd"}', direction: "forward", start: nsAt(10), end: nsAt(10.002) }],
    ["query_range", { query: '{app="ticks"}', start: isoAt(5), end: isoAt(8) }],
    ["query_range", { query: '{app="ticks"}', start: `${seconds(5)}`, end: `${seconds(8)}` }],
    ["query_range", { query: '{app="ticks"}', start: `${seconds(5.5)}`, end: `${seconds(8.25)}` }],
    ["query_range", { query: '{app="ticks"}', end: nsAt(10), since: "5s" }],
    ["query_range", { query: '{app="ticks"}', interval: "10s", direction: "forward", limit: "1000" }],
    ["query_range", { query: '{app="ticks"}', interval: "10s", limit: "1000" }],
    ["query_range", { query: '{app="ticks"}', step: "10s", direction: "forward", limit: "1000" }],
    ["query_range", { query: '{app="ticks"}', limit: "0" }],
    ["query", { query: '{app="ticks"}', limit: "3", time: nsAt(60) }],
    ["query", { query: '{app="ticks"}', time: nsAt(60) }],
  ],
  "labels and series": [
    ["labels", {}],
    ["labels", { query: '{app="shop"}' }],
    ["label/app/values", {}],
    ["label/app/values", { query: '{env="test"}' }],
    ["label/note/values", {}],
    ["label/nothing/values", {}],
    ["label/env/values", { query: '{app=~"shop|odd"}' }],
    ["series", { "match[]": '{app="shop"}' }],
    ["series", { "match[]": '{app=~".+"}' }],
    ["series", { "match[]": '{app="none"}' }],
    ["series", { "match[]": '{env="test", app!="odd"}' }],
  ],
  "statistics and volumes": [
    ["index/stats", { query: '{app="none"}' }],
    ["index/volume", { query: '{app="shop"}' }],
    ["index/volume", { query: '{app=~".+"}' }],
    ["index/volume", { query: '{app=~".+"}', limit: "2" }],
    ["index/volume", { query: '{app=~".+"}', targetLabels: "env" }],
    ["index/volume", { query: '{app=~".+"}', targetLabels: "app,env" }],
    ["index/volume", { query: '{app=~".+"}', aggregateBy: "labels" }],
    ["index/volume", { query: '{app="shop"}', aggregateBy: "labels", targetLabels: "cluster" }],
    ["index/volume_range", { query: '{app=~".+"}', targetLabels: "env", step: "60s" }],
    ["index/volume_range", { query: '{app="ticks"}', step: "60s" }],
  ],
  "labels and fields that are detected": [
    ["detected_labels", { query: '{app="shop"}' }],
    ["detected_labels", {}],
    ["detected_fields", { query: '{app="shop"}' }],
    ["detected_fields", { query: '{app="auth"}' }],
    ["detected_fields", { query: '{app="auth"} | json' }],
    ["detected_fields", { query: '{app="ticks"}' }],
    ["detected_fields", { query: '{app="nginx"}' }],
    ["detected_field/tier/values", { query: '{app="shop"}' }],
    ["detected_field/method/values", { query: '{app="shop"}' }],
    ["detected_field/user_name/values", { query: '{app="auth"}' }],
  ],
};

/** Queries that `format_query` lays out. */
export const formatted: readonly string[] = [
  '{app="shop",env="prod"}|="x"|logfmt|status>=500',
  '{  app = "shop"  } | json first="a.b",second="c" | line_format "{{.x}}"',
  'sum by(app)(count_over_time({app="shop"}[5m]))',
  'sum(count_over_time({app="shop"}|logfmt|unwrap duration(took)|__error__=""[5m] offset 1h))by(app,env)',
  'rate({app="shop"}[1h30m])/ignoring(env)group_left(x) rate({app="shop"}[90s])',
  'topk(5,sum by(app)(rate({app="shop"}|json|level="error"[5m])))>bool 1.50',
  '{app="shop"} | label_format a=b,c="{{.d}}" | drop x,y="z" | keep a',
  '{app="shop"} |= "a" or "b" != ip("10.0.0.0/8")',
  '{app="shop"} | size > 1.5KB and took<90s or (x="1" and y!~"2")',
  'label_replace(rate({app="shop"}[1m]),"a","$1","b","(.*)")',
  'sum by (app) (count_over_time({app="shop", env="prod", cluster="eu"} |= "a rather long text" | logfmt | status >= 500 | took > 10s [5m]))',
  'quantile_over_time(0.99,{app="shop"}|logfmt|unwrap bytes(size)[1d])by(app)',
  "1+2*3",
  "vector(1)",
  '{app="shop"} | logfmt --strict --keep-empty a,b="c" | decolorize | unpack | pattern "<a> <b>" | regexp "(?P<x>y)"',
];
