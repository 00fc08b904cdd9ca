import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codePoint } from "../../../test/support/code-point.ts";
import { sampleSize } from "../../../test/support/sample-size.ts";
import {
  type BinaryOperation,
  type LabelFilter,
  type LogQuery,
  type LogqlQuery,
  type Matcher,
  type MetricQuery,
  precedence,
  type RangeOperator,
  type Stage,
} from "./logql-ast.ts";
import { parseLogql } from "./parse-logql.ts";
import { printLogql } from "./print-logql.ts";

/** The tree without the places in the text. */
function withoutPlaces<T>(node: T): T {
  if (Array.isArray(node)) return node.map(withoutPlaces) as T;
  if (typeof node !== "object" || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, key === "at" ? 0 : withoutPlaces(value)]),
  ) as T;
}

const reparse = (query: LogqlQuery) => withoutPlaces(parseLogql(printLogql(query)));

describe("printLogql", () => {
  it.each([
    ['{foo=   "bar"}', '{foo="bar"}'],
    ['{a=`x"y`, b=~"c.*"}', '{a="x\\"y", b=~"c.*"}'],
    ['{a="b"}|="x" or "y" !~`\\d+`|= ip("10.0.0.0/8")', '{a="b"} |= "x" or "y" !~ "\\\\d+" |= ip("10.0.0.0/8")'],
    ['{a="b"}|json|logfmt --strict x,y="z.w"', '{a="b"} | json | logfmt --strict x="x",y="z.w"'],
    ['{a="b"}|x>5 or y==1.5s and z<=2KB,w="v"', '{a="b"} | x>5 or y==1s500ms and z<=2KB and w="v"'],
    ['{a="b"}|(x>5 or y=ip("::1")) and z!=1KiB', '{a="b"} | (x>5 or y=ip("::1")) and z!=1KiB'],
    ['{a="b"}|label_format x=y,z="{{.w}}"|drop a,b="c"', '{a="b"} | label_format x=y,z="{{.w}}" | drop a,b="c"'],
    ["vector( 1 )+vector(1)", "vector(1) + vector(1)"],
    ["(1+2)*3-(4-5)-6", "(1 + 2) * 3 - (4 - 5) - 6"],
    ["2^3^2+(2^3)^2", "2 ^ 3 ^ 2 + (2 ^ 3) ^ 2"],
    ['sum(rate({a="b"}[5m]))by(x,y)>bool 1', 'sum by (x,y)(rate({a="b"}[5m])) > bool 1'],
    ['topk(5,rate({a="b"}|="x"[90m] offset 24h))', 'topk(5,rate({a="b"} |= "x"[1h30m] offset 1d))'],
    [
      'rate({a="b"}[1w])*on(x)group_left()(rate({a="c"}[1w])-1)',
      'rate({a="b"}[1w]) * on (x) group_left () (rate({a="c"}[1w]) - 1)',
    ],
    ['# why\n{a="b"} # and', '{a="b"}'],
  ])("keeps short queries on one line: %s", (query, printed) => {
    expect(printLogql(parseLogql(query))).toBe(printed);
    expect(reparse(parseLogql(query))).toEqual(withoutPlaces(parseLogql(query)));
  });

  it.each([
    [
      "a log query by its stages",
      '{job="loki", namespace="loki-prod", container="nginx-ingress"}|= "error" != "memcached"| json first="servers[0]",ua="b" | level="error"',
      [
        '{job="loki", namespace="loki-prod", container="nginx-ingress"}',
        '  |= "error"',
        '  != "memcached"',
        '  | json first="servers[0]",ua="b"',
        '  | level="error"',
      ],
    ],
    [
      "a range, with unwrap on a line of its own",
      'quantile_over_time(0.99,{container="ingress-nginx",service="hosted-grafana"}| json| unwrap duration(response_latency)| __error__=""[1m]) by (cluster)',
      [
        "quantile_over_time(",
        "  0.99,",
        '  {container="ingress-nginx", service="hosted-grafana"} | json',
        "    | unwrap duration(response_latency)",
        '    | __error__="" [1m]',
        ") by (cluster)",
      ],
    ],
    [
      "operations and functions by their operands",
      'sum by (instance) (rate({job="loki", namespace="loki-prod"}[5m]))/on(instance) group_left(node)(label_replace(rate({job="api-server",service="a:c"}|= "err" [5m] offset 1h), "foo", "$1", "service", "(.*):.*")-1)',
      [
        '  sum by (instance)(rate({job="loki", namespace="loki-prod"}[5m]))',
        "/ on (instance) group_left (node)",
        "  (",
        "      label_replace(",
        '        rate({job="api-server", service="a:c"} |= "err"[5m] offset 1h),',
        '        "foo",',
        '        "$1",',
        '        "service",',
        '        "(.*):.*"',
        "      )",
        "    -",
        "      1",
        "  )",
      ],
    ],
  ])("breaks long ones: %s", (_, query, lines) => {
    expect(printLogql(parseLogql(query)).split("\n")).toEqual(lines);
    expect(reparse(parseLogql(query))).toEqual(withoutPlaces(parseLogql(query)));
  });

  it("leaves a query on one line that would become many times as long", () => {
    const query = `${"(".repeat(190)}${Array(900).fill("sum(vector(1))").join("+")}${")".repeat(190)}`;
    expect(printLogql(parseLogql(query)).length).toBeLessThan(query.length * 2);
  });

  it("prints what is parsed to the same query", () => {
    fc.assert(
      fc.property(queries, (query) => {
        expect(reparse(query)).toEqual(query);
      }),
      { numRuns: sampleSize(150, 20_000) },
    );
  });
});

const names = fc.constantFrom(
  "a",
  "level",
  "json",
  "unpack",
  "and",
  "or",
  "by",
  "ip",
  "unwrap",
  "_x9",
  "offset",
  "bool",
);
const texts = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 12 }),
  fc.constantFrom('"', "\\", "`", "\n", "\u0000", "é"),
);
const addresses = fc.constantFrom("10.0.0.1", "10.0.0.0/8", "::1-::9");
const regexps = fc.constantFrom("a.*", "(?P<x>\\d+)", '[^`"]+', "é|\\x{61}");
const matchers: fc.Arbitrary<Matcher> = fc.oneof(
  fc.record({ name: names, operator: fc.constantFrom("=", "!="), value: texts, at: fc.constant(0) }),
  fc.record({ name: names, operator: fc.constantFrom("=~", "!~"), value: regexps, at: fc.constant(0) }),
);
const finite = fc
  .double({ noNaN: true, noDefaultInfinity: true, min: -1e30, max: 1e30 })
  .map((value) => (Math.abs(value) < 1e-60 ? 0 : value));
/** Values that a token can have: short decimals, and what is computed of them. */
const durations = fc.oneof(
  fc.integer({ min: -(2 ** 40), max: 2 ** 40 }),
  fc.integer({ min: 0, max: 500 }).map((weeks) => weeks * 604_800e9),
  finite,
);
const sizes = fc.oneof(
  fc.integer({ min: -(2 ** 40), max: 2 ** 40 }),
  fc.integer({ min: 0, max: 9 }).map((n) => n * 2 ** 60),
);
const filters: fc.Arbitrary<LabelFilter> = fc.letrec<{ filter: LabelFilter }>((tie) => ({
  filter: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record({ kind: fc.constant("text" as const), matcher: matchers }),
    fc.oneof(
      ...(
        [
          ["number", fc.oneof(finite, fc.constant(-Infinity))],
          ["duration", durations],
          ["bytes", sizes],
        ] as const
      ).map(([unit, value]) =>
        fc.record({
          kind: fc.constant("number" as const),
          name: names,
          operator: fc.constantFrom("==", "!=", ">", ">=", "<", "<="),
          unit: fc.constant(unit),
          value,
        }),
      ),
    ),
    fc.record({ kind: fc.constant("ip" as const), name: names, isNegated: fc.boolean(), range: addresses }),
    fc.record({ kind: fc.constantFrom("and" as const, "or" as const), left: tie("filter"), right: tie("filter") }),
  ),
})).filter;
const extractions = (expression: fc.Arbitrary<string>) =>
  fc.array(fc.record({ name: names, expression, at: fc.constant(0) }), { maxLength: 3 });
const atZero = fc.constant(0);
const stages: fc.Arbitrary<Stage> = fc.oneof(
  fc.record({
    kind: fc.constant("line" as const),
    test: fc.constant("contains" as const),
    isNegated: fc.boolean(),
    alternatives: fc.array(
      fc.oneof(
        fc.record({ text: texts, isIp: fc.constant(false), at: atZero }),
        fc.record({ text: addresses, isIp: fc.constant(true), at: atZero }),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  fc.record({
    kind: fc.constant("line" as const),
    test: fc.constant("regexp" as const),
    isNegated: fc.boolean(),
    alternatives: fc.tuple(fc.record({ text: regexps, isIp: fc.constant(false), at: atZero })),
  }),
  fc.record({ kind: fc.constant("filter" as const), filter: filters }),
  fc.record({
    kind: fc.constant("json" as const),
    extractions: extractions(fc.constantFrom("a.b", '["c d"]', "[0].x", "e")),
  }),
  fc.record({
    kind: fc.constant("logfmt" as const),
    extractions: extractions(texts),
    isStrict: fc.boolean(),
    keepsEmpty: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("line_format" as const), text: fc.constantFrom("{{.a}}", '`"x"`', ""), at: atZero }),
  fc.record({ kind: fc.constantFrom("unpack" as const, "decolorize" as const) }),
  fc.record({
    kind: fc.constant("label_format" as const),
    formats: fc.tuple(
      fc.record({
        name: names,
        from: fc.oneof(fc.record({ label: names }), fc.record({ template: fc.constantFrom("{{.a}}-", "\n") })),
        at: atZero,
      }),
    ),
  }),
  fc.record({
    kind: fc.constantFrom("drop" as const, "keep" as const),
    labels: fc.array(
      fc.oneof(
        fc.record({ name: names, matcher: fc.constant(undefined) }),
        matchers.map((matcher) => ({ name: matcher.name, matcher })),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  }),
);
/** In `drop a != "x"`, what is behind the label is read as its matcher: no text is read as these two. */
const withoutOther = (some: readonly Stage[]) =>
  some.some(({ kind }) => kind === "drop" || kind === "keep")
    ? some.filter((stage) => stage.kind !== "line" || !stage.isNegated)
    : some;
const logs: fc.Arbitrary<LogQuery> = fc.record({
  kind: fc.constant("log" as const),
  matchers: fc
    .array(matchers, { maxLength: 2 })
    .map((some) => [...some, { name: "source", operator: "=" as const, value: "x", at: 0 }]),
  stages: fc.array(stages, { maxLength: 4 }).map(withoutOther),
  at: atZero,
});
const groupings = fc.option(fc.record({ isWithout: fc.boolean(), labels: fc.array(names, { maxLength: 3 }) }), {
  nil: undefined,
});
const unwraps = fc.record({
  label: names,
  conversion: fc.constantFrom("number" as const, "duration" as const, "bytes" as const),
  filters: fc.array(filters, { maxLength: 2 }),
});
const times = {
  rangeUs: fc.oneof(
    fc.integer({ min: 1, max: 2 ** 40 }),
    fc.integer({ min: 1, max: 100 }).map((n) => n * 3_600e6),
  ),
  offsetUs: fc.oneof(fc.constant(0), fc.integer({ min: -(2 ** 40), max: 2 ** 40 })),
};
const range = (operators: readonly RangeOperator[], more: object) =>
  fc.record({
    ...{
      kind: fc.constant("range" as const),
      operator: fc.constantFrom(...operators),
      parameter: fc.constant(undefined),
    },
    ...{ query: logs, unwrap: fc.constant(undefined), ...times, grouping: fc.constant(undefined), at: atZero, ...more },
  }) as fc.Arbitrary<MetricQuery>;
const metrics: fc.Arbitrary<MetricQuery> = fc.letrec<{ metric: MetricQuery }>((tie) => ({
  metric: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(
      fc.record({ kind: fc.constant("number" as const), value: finite, at: atZero }),
      fc.record({ kind: fc.constant("vector" as const), value: finite.map(Math.abs), at: atZero }),
    ),
    range(["count_over_time", "rate"], {}),
    range(["max_over_time", "first_over_time"], { unwrap: unwraps, grouping: groupings }),
    range(["quantile_over_time"], { unwrap: unwraps, grouping: groupings, parameter: finite }),
    fc.record({
      kind: fc.constant("aggregate" as const),
      operator: fc.constantFrom("sum" as const, "stddev" as const),
      parameter: fc.constant(undefined),
      grouping: groupings,
      inner: tie("metric"),
      at: atZero,
    }),
    fc.record({
      kind: fc.constant("aggregate" as const),
      operator: fc.constantFrom("topk" as const, "bottomk" as const),
      parameter: fc.integer({ min: 1, max: 99 }),
      grouping: groupings,
      inner: tie("metric"),
      at: atZero,
    }),
    fc.record({
      kind: fc.constant("label_replace" as const),
      inner: tie("metric"),
      ...{ target: texts, replacement: texts, source: texts, pattern: regexps, at: atZero },
    }),
    fc
      .record({
        kind: fc.constant("binary" as const),
        operator: fc.constantFrom(...(Object.keys(precedence) as BinaryOperation["operator"][])),
        isBool: fc.boolean(),
        matching: fc.option(fc.record({ isOn: fc.boolean(), labels: fc.array(names, { maxLength: 2 }) }), {
          nil: undefined,
        }),
        many: fc.option(
          fc.record({
            side: fc.constantFrom("left" as const, "right" as const),
            include: fc.array(names, { maxLength: 2 }),
          }),
          { nil: undefined },
        ),
        ...{ left: tie("metric"), right: tie("metric"), at: atZero },
      })
      .map((node) => (node.matching === undefined ? { ...node, many: undefined } : node)),
  ),
})).metric;
const queries: fc.Arbitrary<LogqlQuery> = fc.oneof(logs, metrics);
