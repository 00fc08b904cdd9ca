import type { JudgeCase } from "./judge-cases.ts";
import { nsAt, type PushedStream } from "./pushed-lines.ts";

const tail = (section: string, parameters: JudgeCase["parameters"], isCategorized = false): JudgeCase => {
  return { section, path: "tail", parameters, isCategorized };
};

/** Queries whose tails are told first what is stored, then what is pushed while they are open. */
const followed = [
  ...['{app="shop"}', '{app="auth"}', '{app="odd"}', '{env="prod", app!="nginx"}', '{app=~"sh.*|net"}', '{app="none"}'],
  ...['{app="fresh"}', '{team="new"}', '{app="burst"}', '{app="late"} |= "late"', '{app="shop"} |= "error"'],
  ...['{app="shop"} |= "" ', '{app="shop"} |~ "status=[45]" != "warn"', '{app="net"} |= ip("10.0.0.0/8")'],
  ...['{app="shop"} | logfmt', '{app="shop"} | logfmt | status >= 500', '{app="shop"} | tier="gold"'],
  ...[
    '{app="auth"} | json',
    '{app="auth"} | json | user_name="ann"',
    '{app="auth"} | json user="user.name" | keep user',
  ],
  ...['{app="nginx"} | pattern "<ip> - - \\"<method> <path> <_>\\" <status> <_>" | status="502"'],
  ...['{app="packed"} | unpack', '{app="odd"} | decolorize |= "red"', '{app="odd"} | json | __error__=`JSONParserErr`'],
  ...[
    '{app="shop"} | logfmt | line_format "{{.method}} {{.path}}"',
    '{app="shop"} | logfmt | drop msg, took, size, path',
  ],
  ...['{app="shop"} | logfmt | label_format verb=method | keep verb', '{app="ticks"} | logfmt | kind="a" | n > 115'],
];

const starts = [
  { query: '{app="ticks"}', limit: "3" },
  { query: '{app="ticks"}', start: nsAt(100), limit: "1000" },
  { query: '{app="ticks"}', start: nsAt(100), limit: "5" },
  { query: '{app="ticks"} |= "kind=a"', start: nsAt(50.5) },
  { query: '{app="shop"}', start: nsAt(3_000_000) },
  { query: '{app="burst"}', delay_for: "0" },
  { query: '{app=~"burst|fresh"} |~ "first|burst"', delay_for: "1" },
  { query: '{app=~"shop|late|fresh"}', delay_for: "3" },
  { query: '{app="late"}', delay_for: "5", limit: "2" },
];

const refused = [
  ...[{}, { query: "" }, { query: "{" }, { query: '{app="shop"} | nope(' }, { query: "{}" }, { query: '{app=~".*"}' }],
  ...[{ delay_for: "6" }, { delay_for: "many" }, { limit: "many" }, { limit: "0" }, { limit: "-1" }, { start: "then" }],
  ...[
    { limit: "1000000" },
    { query: '{app="shop"} |~ "("' },
    { query: 'rate({app="shop"}[1m])' },
    { query: "vector(1)" },
  ],
].map((each): JudgeCase["parameters"] =>
  "query" in each || Object.keys(each).length === 0 ? each : { query: '{app="shop"}', ...each },
);

/** Every way in which lines are followed. */
export const tailCases: readonly JudgeCase[] = [
  ...followed.flatMap((query) => [tail("tails", { query }), tail("tails", { query }, true)]),
  ...starts.flatMap((sent) => [tail("starts of tails", sent), tail("starts of tails", sent, true)]),
];

/** Tails that are refused before they begin. */
export const refusedTails: readonly JudgeCase[] = refused.map((sent) => tail("wrong tails", sent));

const ns = (ms: number) => `${BigInt(ms) * 1_000_000n}`;

/** Requests that push lines while tails are open. */
export function livePushes(nowMs: number): readonly (readonly PushedStream[])[] {
  const shop = { app: "shop", env: "prod", cluster: "eu" };
  const line = (ms: number, text: string, metadata = {}) => [ns(nowMs + ms), text, metadata] as const;
  return [
    [
      { stream: shop, values: [line(0, "level=error status=500 method=GET path=/live", { tier: "gold" })] },
      {
        stream: { app: "auth", env: "prod", cluster: "us" },
        values: [line(1, '{"user":{"name":"ann","id":1},"ms":2}')],
      },
      { stream: { app: "nginx", env: "prod" }, values: [line(2, '10.0.0.1 - - "GET /live HTTP/1.1" 502 12')] },
      { stream: { app: "packed", env: "test" }, values: [line(3, '{"_entry":"live","pod":"p9"}')] },
    ],
    [
      {
        stream: shop,
        values: [
          line(10, "level=info status=200 method=PUT path=/a"),
          line(11, "level=warn status=404 method=POST path=/b", { tier: "free", trace_id: "t9" }),
          line(12, "level=error status=503 method=GET path=/c", { tier: "gold" }),
        ],
      },
      {
        stream: { app: "odd", env: "test" },
        values: [line(13, ""), line(14, '{"broken": '), line(15, "\u001b[31mred\u001b[0m")],
      },
      { stream: { app: "net", env: "dev" }, values: [line(16, "from 10.9.9.9"), line(17, "from 11.0.0.1")] },
      { stream: { app: "fresh", team: "new" }, values: [line(18, "first"), line(19, "second")] },
    ],
    [{ stream: { app: "late" }, values: [line(30, "late 1"), [`${ns(nowMs + 30)}`.replace(/0$/, "2"), "late 2", {}]] }],
    [
      { stream: { app: "late" }, values: [line(-600_000, "late by ten minutes")] },
      { stream: shop, values: [line(-300_000, "level=error status=500 path=/late")] },
    ],
    [{ stream: shop, values: [line(40, "level=info path=/end")] }],
    [{ stream: { app: "burst" }, values: Array.from({ length: 250 }, (_, n) => line(50 + n, `burst ${n} error`)) }],
    [
      { stream: { app: "burst", part: "two" }, values: [line(400, "burst of another stream")] },
      { stream: { app: "fresh", team: "new" }, values: [line(401, "third")] },
      { stream: { app: "ticks", env: "test", pod: "p-1" }, values: [line(402, "n=200 wave=1.5 kind=a")] },
    ],
  ];
}
