import fc from "fast-check";
import { fieldNames, foreignMark } from "./tenant-events.ts";

/** A request below `/loki/api/v1/`. */
export interface LogqlCall {
  readonly path: string;
  readonly sent: Readonly<Record<string, string>>;
}

const label = fc.oneof(
  { arbitrary: fc.constantFrom("source", "level", "project", "service_name", "request_path", "extra"), weight: 3 },
  fc.constantFrom(...fieldNames.filter((name) => /^\w+$/.test(name)), `${foreignMark}_key`, "only_own").map((name) => {
    return /^\d/.test(name) ? `_${name}` : name;
  }),
);
const value = fc.constantFrom("x", "200", "9", "", "edge_logs", ".*", ".+", `${foreignMark}-1`, `.*${foreignMark}.*`);
const matcher = fc
  .tuple(label, fc.constantFrom("=", "!=", "=~", "!~"), value)
  .map(([name, operator, text]) => `${name}${operator}"${text}"`);
const selector = fc
  .tuple(fc.constantFrom('source=~".+"', 'source="edge_logs"', 'source=~"edge.*|function.*"'), fc.option(matcher))
  .map(([first, second]) => `{${[first, ...(second === null ? [] : [second])].join(", ")}}`);
const filter = fc
  .tuple(label, fc.constantFrom('="x"', '!=""', "> 5", "== 200", '=~".+"', "> 1s", "< 2KB"))
  .map((parts) => `| ${parts.join("")}`);
const stage = fc.oneof(
  fc.constantFrom('|= "x"', '!= "y"', '|~ "[0-9]"', '|> "<_>x<_>"', "| json", "| logfmt", "| decolorize", "| unpack"),
  filter,
  label.map((name) => `| line_format "{{.${name}}}"`),
  label.map((name) => `| label_format made=\`{{.${name} | upper}}\``),
  label.map((name) => `| json made="${name}"`),
  fc.tuple(fc.constantFrom("drop", "keep"), label).map(([name, which]) => `| ${name} ${which}`),
  fc.constant('| regexp "(?P<word>[a-z]+)"'),
);
const logQuery = fc
  .tuple(selector, fc.array(stage, { maxLength: 3 }))
  .map(([first, stages]) => [first, ...stages].join(" "));

const grouping = fc.option(
  fc.tuple(fc.constantFrom("by", "without"), label).map(([kind, name]) => ` ${kind} (${name})`),
  { nil: "" },
);
const samples = fc.oneof(
  fc
    .tuple(fc.constantFrom("count_over_time", "rate", "bytes_over_time", "absent_over_time"), logQuery)
    .map(([operator, query]) => `${operator}(${query} [3d])`),
  fc
    .tuple(fc.constantFrom("sum", "min", "max", "first"), logQuery, label)
    .map(([operator, query, name]) => `${operator}_over_time(${query} | unwrap ${name} [3d])`),
);
const metricQuery = fc.oneof(
  samples,
  fc.tuple(fc.constantFrom("sum", "max", "count", "topk(3", "sort"), grouping, samples).map(([operator, by, inner]) => {
    if (operator === "sort") return `sort(${inner})`;
    return operator.includes("(") ? `${operator}, ${inner})${by}` : `${operator}${by} (${inner})`;
  }),
  fc.tuple(samples, fc.constantFrom("+", "/", "> bool", "unless", "and"), samples).map((parts) => parts.join(" ")),
);

const time = "2026-08-22T00:00:00Z";
const step = "86400";

/** Calls of every method of Loki's API that tells of lines. */
export const logqlCalls: fc.Arbitrary<LogqlCall> = fc.oneof(
  {
    arbitrary: fc.tuple(logQuery, fc.constantFrom("forward", "backward")).map(([query, direction]) => {
      return { path: "query_range", sent: { query, direction } };
    }),
    weight: 8,
  },
  { arbitrary: metricQuery.map((query) => ({ path: "query", sent: { query, time } })), weight: 5 },
  { arbitrary: metricQuery.map((query) => ({ path: "query_range", sent: { query, step } })), weight: 3 },
  { arbitrary: logQuery.map((query) => ({ path: "detected_fields", sent: { query } })), weight: 2 },
  fc.tuple(label, logQuery).map(([name, query]) => ({ path: `detected_field/${name}/values`, sent: { query } })),
  fc.constantFrom({ path: "labels", sent: {} }, { path: "series", sent: {} }),
  label.map((name) => ({ path: `label/${name}/values`, sent: {} })),
  selector.map((query) => ({ path: "series", sent: { "match[]": query } })),
  fc
    .tuple(fc.constantFrom("index/stats", "detected_labels", "patterns"), selector)
    .map(([path, query]) => ({ path, sent: { query, step } })),
  fc
    .tuple(fc.constantFrom("index/volume", "index/volume_range"), selector, fc.option(label, { nil: "" }))
    .map(([path, query, targetLabels]) => ({ path, sent: { query, targetLabels, step } })),
);
