import fc from "fast-check";

/** Parts of which queries are made. Each stage works on lines of any kind, if only with an error. */
const selectors = [
  '{app="shop"}',
  '{app="auth"}',
  '{app="nginx"}',
  '{app="odd"}',
  '{env="test"}',
  '{app=~"shop|auth"}',
];
const lineFilters = ['|= "a"', '!= "e"', '|~ "[0-9]+"', '!~ "x|y"', '|= "level" or "user"', '|> "<_>=<_>"', '|= ""'];
const parsers = [
  ...["| json", "| logfmt", "| logfmt --strict", "| unpack", '| json user="user.name", ms', "| logfmt level, status"],
  ...['| pattern "<first> <rest>"', '| regexp "(?P<word>[a-z]+)=(?P<value>\\\\S+)"', "| decolorize"],
];
const filters = [
  ...['| level="info"', "| status >= 400", '| method=~"G.*|POST"', "| took > 100ms", "| size <= 2KB", '| __error__=""'],
  ...['| level!="" or ms > 5', '| app!="auth"', "| count < 5 and ratio > 0.3", '| nothing=""', '| tier="gold"'],
];
const formats = [
  ...['| line_format "{{.level}}-{{.msg}}"', "| line_format `{{ __line__ | upper }}`", "| label_format kind=level"],
  ...["| label_format both=`{{.level}}{{.method}}`", "| drop level, msg", "| keep level, app, method", "| drop env"],
  ...["| line_format `{{ if .level }}{{ .level | trunc 2 }}{{ else }}{{ __line__ | len }}{{ end }}`"],
];

const oneOf = (values: readonly string[]) => fc.constantFrom(...values);

const pipeline = fc.array(
  fc.oneof(
    { arbitrary: oneOf(lineFilters), weight: 2 },
    { arbitrary: oneOf(parsers), weight: 3 },
    { arbitrary: oneOf(filters), weight: 2 },
    { arbitrary: oneOf(formats), weight: 2 },
  ),
  { maxLength: 4 },
);

const logQuery = fc.tuple(oneOf(selectors), pipeline).map(([selector, stages]) => [selector, ...stages].join(" "));

const range = oneOf(["[10s]", "[45s]", "[2m]", "[1m] offset 20s"]);
const unerring = '| __error__=""';
const ofLines = fc
  .tuple(oneOf(["count_over_time", "rate", "bytes_over_time", "bytes_rate"]), logQuery, range)
  .map(([operator, query, over]) => `${operator}(${query} ${unerring} ${over})`);
const numbers = [
  ...[['{app="shop"} | logfmt', "count"] as const, ['{app="shop"} | logfmt', "duration(took)"] as const],
  ...[['{app="shop"} | logfmt', "bytes(size)"] as const, ['{app="auth"} | json', "ms"] as const],
  ...[['{app="ticks"} | logfmt', "wave"] as const, ['{app="ticks"} | logfmt', "n"] as const],
];
const unwrapped = fc
  .tuple(
    oneOf(["sum", "avg", "min", "max", "stddev", "stdvar", "first", "last", "quantile"]),
    fc.constantFrom(...numbers),
    oneOf(filters),
    range,
    oneOf(["", " by (app)", " by (level, method)", " without (took, size, msg)"]),
  )
  .map(([operator, [query, label], filter, over, grouping]) => {
    const head = operator === "quantile" ? "quantile_over_time(0.7, " : `${operator}_over_time(`;
    const tail = operator === "sum" ? "" : grouping;
    return `${head}${query} ${filter} | unwrap ${label} ${unerring} ${over})${tail}`;
  });

const grouping = oneOf(["", " by (app)", " by (level)", " by (app, env)", " by (tier)", " without (app, level)"]);
const aggregate = (inner: fc.Arbitrary<string>) =>
  fc
    .tuple(oneOf(["sum", "avg", "min", "max", "count", "stddev", "stdvar", "topk(100", "bottomk(100"]), grouping, inner)
    .map(([operator, by, query]) => {
      return operator.includes("(") ? `${operator}, ${query})${by}` : `${operator}${by} (${query})`;
    });
const samples = fc.oneof(ofLines, unwrapped);
const operand = fc.oneof(aggregate(samples), aggregate(aggregate(samples)));
/** Series of labels of which each pairs with one of the other side at most. */
const paired = samples.map((inner) => `sum by (app) (${inner})`);
const arithmetic = fc
  .tuple(paired, oneOf(["+", "-", "*", "/", ">", "<= bool", "==", "and", "or", "unless"]), paired)
  .map(([left, operator, right]) => `${left} ${operator} ${right}`);
const scaled = fc
  .tuple(operand, oneOf(["* 2", "/ 3", "> 1", "> bool 2", "% 4", "^ 2", "!= 3"]))
  .map(([inner, by]) => `${inner} ${by}`);

/** Queries that are made of parts by chance, the same for the same seed. */
export function generateQueries(seed: number, count: number) {
  const sample = (arbitrary: fc.Arbitrary<string>) => [
    ...new Set(fc.sample(arbitrary, { seed, numRuns: Math.ceil(count / 2) })),
  ];
  return { log: sample(logQuery), metric: sample(fc.oneof(samples, operand, arithmetic, scaled)) };
}
