import fc from "fast-check";
import { fieldNames, foreignMark } from "./tenant-events.ts";

const key = fc.oneof(
  { arbitrary: fc.constantFrom(...fieldNames), weight: 5 },
  fc.tuple(fc.constantFrom(...fieldNames), fc.constantFrom(...fieldNames)).map((names) => names.join(".")),
  fc.constantFrom("request.path", "response.status_code", `${foreignMark}_key`, `only_${foreignMark}`, "only_own"),
);
const attribute = key.map((name) => `log_attributes['${name}']`);
const column = fc.oneof({ arbitrary: attribute, weight: 4 }, fc.constantFrom("event_message", "id", "source"));
const value = fc.oneof(
  column,
  column.map((x) => `toInt32OrZero(${x})`),
  column.map((x) => `toFloat64OrNull(${x})`),
  column.map((x) => `lower(${x})`),
  column.map((x) => `length(${x})`),
  column.map((x) => `JSONExtractString(${x}, 'a')`),
  fc.tuple(column, column).map(([x, y]) => `if(${x} = ${y}, ${x}, 'other')`),
  fc.tuple(column, column).map(([x, y]) => `concat(${x}, ${y})`),
);
const condition = fc.oneof(
  fc
    .tuple(column, fc.constantFrom("= 'x'", "!= ''", "ILIKE '%x%'", "IN ('x', '200')", `LIKE '${foreignMark}%'`))
    .map((parts) => parts.join(" ")),
  column.map((x) => `match(${x}, '[0-9]')`),
  value.map((x) => `toString(${x}) > 'a'`),
);
const where = fc
  .tuple(
    fc.constantFrom("", "source = 'edge_logs'", "source IN ('edge_logs', 'function_logs')", "source != 'edge_logs'"),
    fc.option(condition),
  )
  .map(([first, second]) => [first, ...(second === null ? [] : [second])].filter((text) => text !== "").join(" AND "))
  .map((text) => (text === "" ? "" : ` WHERE ${text}`));
const aggregate = fc.oneof(
  fc.constant("count()"),
  column.map((x) => `uniq(${x})`),
  column.map((x) => `countIf(${x} = 'x')`),
  column.map((x) => `max(${x})`),
  column.map((x) => `sum(toInt32OrZero(${x}))`),
);

/** Queries in ClickHouse's SQL over the table `logs`. */
export const clickHouseSql: fc.Arbitrary<string> = fc.oneof(
  {
    arbitrary: fc
      .tuple(value, value, where)
      .map(
        ([x, y, rest]) => `SELECT id, timestamp, source, ${x} AS v, ${y} AS w FROM logs${rest} ORDER BY timestamp, id`,
      ),
    weight: 5,
  },
  fc
    .tuple(value, aggregate, where)
    .map(([x, y, rest]) => `SELECT ${x} AS k, ${y} AS v FROM logs${rest} GROUP BY k ORDER BY v, k LIMIT 50`),
  fc.tuple(aggregate, aggregate, where).map(([x, y, rest]) => `SELECT ${x} AS v, ${y} AS w FROM logs${rest}`),
  fc
    .tuple(aggregate, where)
    .map(([x, rest]) => `SELECT toStartOfDay(timestamp) AS t, ${x} AS v FROM logs${rest} GROUP BY t ORDER BY t`),
  fc.tuple(column, where).map(([x, rest]) => `SELECT DISTINCT ${x} AS v FROM logs${rest} ORDER BY v LIMIT 100`),
  where.map((rest) => `SELECT log_attributes, event_message FROM logs${rest} ORDER BY timestamp, id`),
  fc.tuple(column, where).map(([x, rest]) => `SELECT nothing(${x}), missing FROM logs${rest}`),
);
