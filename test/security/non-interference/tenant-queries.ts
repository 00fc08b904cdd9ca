import fc from "fast-check";
import { fieldNames, foreignMark, wideNames } from "./tenant-events.ts";

/** A caller's query, without the project. */
export interface TenantQuery {
  readonly endpoint: string;
  /** Below the endpoint's own path; empty for a call of the endpoint. */
  readonly path?: "/tables" | "/parse" | "/overview" | "/around" | "/tail" | undefined;
  readonly parameters: Readonly<Record<string, string>>;
  readonly redacts?: boolean | undefined;
  /**
   * False when the message depends on which row fails first: then only status and code are compared, and that nothing
   * of others is shown.
   */
  readonly isExact: boolean;
  /** True where the query leaves the order of its rows open: those of an answer are compared as a set then. */
  readonly hasOpenOrder?: boolean;
}

const names = fieldNames.map((name) => (/^[A-Za-z_]\w*$/.test(name) ? name : `\`${name}\``));
const field = fc.oneof(
  { arbitrary: fc.constantFrom(...names).map((name) => `m.${name}`), weight: 8 },
  {
    arbitrary: fc.tuple(fc.constantFrom(...names), fc.constantFrom(...names)).map(([a, b]) => `m.${a}.${b}`),
    weight: 3,
  },
  { arbitrary: fc.constantFrom("m.request.path", "m.response.status_code", "m.response.origin_time"), weight: 2 },
  { arbitrary: fc.constantFrom("m.lists.path", "m.lists[safe_offset(1)].port", "m.request.PORT"), weight: 1 },
  { arbitrary: fc.constantFrom(`m.only_${foreignMark}`, `m.${foreignMark}_key`, "m.only_own"), weight: 1 },
);

const scalar = fc.oneof(
  field,
  fc.tuple(fc.constantFrom("upper", "length", "to_json_string", "md5"), field).map(([name, x]) => `${name}(${x})`),
  field.map((x) => `safe_cast(${x} as int64)`),
  field.map((x) => `cast(${x} as string)`),
  field.map((x) => `${x} + 1`),
  fc.tuple(field, field).map(([x, y]) => `coalesce(${x}, ${y})`),
  fc.tuple(field, field).map(([x, y]) => `if(${x} = ${y}, ${x}, ${y})`),
  field.map((x) => `${x} is null`),
  field.map((x) => `${x}[safe_offset(0)]`),
);

const condition = fc.oneof(
  fc
    .tuple(field, fc.constantFrom("= 200", "= '200'", "> 5", "< 'x'", "like '%x%'", "in (1, 9)", "is not null"))
    .map((parts) => parts.join(" ")),
  fc.tuple(field, field).map((parts) => parts.join(" = ")),
);

const aggregate = fc
  .tuple(fc.constantFrom("count", "count(distinct", "min", "max", "sum", "logical_or", "countif"), field)
  .map(([name, x]) => {
    if (name === "countif") return `countif(${x} > 1)`;
    if (name === "logical_or") return `logical_or(safe_cast(${x} as bool))`;
    return name.includes("(") ? `${name} ${x})` : `${name}(${x})`;
  });

const table = fc.constantFrom("edge_logs", "edge_logs", "function_logs");
const from = table.map((name) => `from ${name} t cross join unnest(metadata) m`);
/** Elements of lists, and records that a query constructs. */
const fromElements = fc
  .tuple(table, fc.constantFrom("m.lists", "m.request", "m.response", "m.a", "m.list"))
  .map(([name, list]) => `from ${name} t cross join unnest(metadata) n cross join unnest(n.${list.slice(2)}) m`);
const fromMade = fc.tuple(table, fc.constantFrom("distinct", "distinct", "as struct")).map(([name, kind]) => {
  if (kind === "distinct") return `from (select distinct id, m from ${name} cross join unnest(metadata) m) t`;
  return `from (select id, m from ${name} cross join unnest(metadata) m where id > '' limit 1000) t`;
});
const fromBoth = fc.constant(
  "from (select id, m from edge_logs cross join unnest(metadata) m union all select id, m from function_logs " +
    "cross join unnest(metadata) m) t",
);
/** Numbers and texts with several representations in JSON. */
const wide = fc.oneof(
  fc.constantFrom(...wideNames).map((name) => `m.${name}`),
  fc.constantFrom("m.big.big", "m.lists.url", "m.request.port", "m.response.status_code", "m.request.path"),
);
const wideValue = fc.oneof(
  wide,
  wide.map((x) => `to_json_string(${x})`),
  wide.map((x) => `cast(${x} as string)`),
  wide.map((x) => `safe_cast(${x} as float64)`),
  wide.map((x) => `safe_cast(${x} as int64)`),
  wide.map((x) => `array_length(${x})`),
  wide.map((x) => `max(${x}) over ()`),
);

/** Rows come in a stated order, so that answers can be compared byte for byte. */
export const orderedQuery = fc.oneof(
  fc.tuple(scalar, scalar, from).map(([x, y, rest]) => `select t.id, ${x} as v, ${y} as w ${rest} order by t.id`),
  fc.tuple(scalar, condition, from).map(([x, c, rest]) => `select t.id, ${x} as v ${rest} where ${c} order by t.id`),
  fc.tuple(aggregate, aggregate, from).map(([x, y, rest]) => `select count(*) n, ${x} as v, ${y} as w ${rest}`),
  fc.tuple(field, from).map(([x, rest]) => `select ${x} as k, count(*) n ${rest} group by k order by n, min(t.id)`),
  fc.tuple(field, from).map(([x, rest]) => `select distinct ${x} as v ${rest} order by v`),
  fc.tuple(field, from).map(([x, rest]) => `select t.id, ${x} as v ${rest} order by v, t.id`),
  fc
    .tuple(wideValue, wideValue, fc.oneof(from, fromElements, fromMade, fromBoth))
    .map(([x, y, rest]) => `select t.id, ${x} as v, ${y} as w ${rest} order by 1, 2, 3`),
  fc
    .tuple(scalar, scalar, fc.oneof(fromElements, fromMade, fromBoth))
    .map(([x, y, rest]) => `select t.id, ${x} as v, ${y} as w ${rest} order by 1, 2, 3`),
  table.map((name) => `select extra, level, big, b, identifier, extra.big as e from ${name} order by id`),
  table.map((name) => `select to_json_string(extra) as x, cast(big as string) as y from ${name} order by id`),
  from.map((rest) => `select m.* ${rest} order by t.id`),
  from.map((rest) => `select m.request.* ${rest} order by t.id`),
  table.map((name) => `select * from ${name} order by id`),
  table.map((name) => `select t as whole, to_json_string(t) as text from ${name} t order by t.id`),
  fc
    .tuple(field, from)
    .map(([x, rest]) => `select t.id, u, o ${rest}, unnest(${x}) as u with offset o order by t.id, o`),
  fc
    .tuple(field, from)
    .map(([x, rest]) => `select t.id, u.a, u.b ${rest} left join unnest(${x}) as u order by 1, 2, 3`),
  fc.tuple(field, from).map(([x, rest]) => {
    return `select t.id, row_number() over (partition by ${x} order by t.id) as r ${rest} order by t.id`;
  }),
);

/** Rows come in the engine's own order. */
export const unorderedQuery = fc.oneof(
  fc
    .tuple(field, from, from)
    .map(([x, one, two]) => `select t.id, ${x} as v ${one} union all select 'z', 'text' ${two} limit 1000`),
  fc.tuple(scalar, condition, from).map(([x, c, rest]) => `select ${x} as v ${rest} where ${c}`),
  fc.tuple(field, aggregate, from).map(([x, y, rest]) => `select ${x} as k, ${y} as v ${rest} group by k`),
);

/** Queries that fail for many or all tenants: their messages depend on names and types. */
export const wrongQuery = fc.oneof(
  fc.tuple(field, from).map(([x, rest]) => `select ${x}.deeper.still, ${x} + date '2026-01-01' ${rest}`),
  fc.tuple(field, from).map(([x, rest]) => `select abs(${x}, m) ${rest}`),
  from.map((rest) => `select m.* ${rest} union all select 1`),
  from.map((rest) => `select * from (select m.* ${rest}) unpivot (v for k in (dur, list))`),
  from.map((rest) => `select t.event_mesage, m + 1 ${rest}`),
  from.map((rest) => `select x from (select m.* ${rest}) as x where x.durr = 1`),
  from.map((rest) => `with c as (select m.* ${rest}) select only_${foreignMark}, durx from c`),
  table.map((name) => `select lst from ${name}`),
);

export const openQuery = fc.oneof(
  fc.tuple(field, from).map(([x, rest]) => `select cast(${x} as int64) as v ${rest}`),
  fc.tuple(field, from).map(([x, rest]) => `select parse_date('%Y', ${x}) as v ${rest}`),
  fc.tuple(field, from).map(([x, rest]) => `select count(from_base64(${x})) as v ${rest}`),
  fc.tuple(field, from).map(([x, rest]) => `select count(parse_timestamp('%c', ${x})) as v ${rest}`),
  fc.tuple(field, from).map(([x, rest]) => `select t.id ${rest} where regexp_contains('x', ${x})`),
);

const lqlName = fc.constantFrom(...fieldNames.filter((name) => /^[A-Za-z_]\w*$/.test(name)));
export const lql = fc.oneof(
  fc.tuple(lqlName, fc.constantFrom("5", "200", '"x"', ">5", "<=10", "~x", "NULL")).map(([name, value]) => {
    return `m.${name}:${value} s:id s:timestamp s:m.${name}`;
  }),
  fc
    .tuple(lqlName, fc.constantFrom("count", "avg", "max"))
    .map(([name, of]) => `c:${of}(m.${name}) c:group_by(t::day)`),
  lqlName.map((name) => `m.request.${name}:x`),
  lqlName.map((name) => `m.lists.${name}:~x`),
);

const format = fc.constantFrom("json", "json", "json", "ndjson", "csv", "arrow", "parquet");
const fieldPath = lqlName.map((name) => `metadata.${name}`);
const overview = fc.record({
  from: fc.constantFrom("2026-08-20T00:00:00Z", "2026-08-20T09:00:00Z"),
  to: fc.constant("2026-08-22T00:00:00Z"),
  buckets: fc.constantFrom("1", "7"),
  split: fc.oneof(fieldPath, fc.constant("metadata.response.status_code")),
  facets: fc.tuple(fieldPath, fieldPath).map((paths) => paths.join(",")),
  table: table,
});

/**
 * Calls over every access path of a query: own rows, a consumer's SQL or LQL, the counts, exploring, following, in
 * every format.
 */
export const tenantQueries: fc.Arbitrary<TenantQuery> = fc.oneof(
  {
    arbitrary: fc.tuple(orderedQuery, format).map(([sql, as]) => toCall({ sql, format: as })),
    weight: 32,
  },
  {
    arbitrary: fc.oneof(wrongQuery, unorderedQuery).map((sql) => ({ ...toCall({ sql }), hasOpenOrder: true })),
    weight: 13,
  },
  { arbitrary: openQuery.map((sql) => ({ ...toCall({ sql }), isExact: false })), weight: 8 },
  { arbitrary: lql.map((text) => toCall({ lql: text })), weight: 8 },
  { arbitrary: orderedQuery.map((sql) => ({ ...toCall({ sql }), redacts: true })), weight: 2 },
  {
    arbitrary: fc.tuple(fc.nat(3), format).map(([n, as]) => toCall({ limit: String(n + 1), format: as })),
    weight: 4,
  },
  {
    arbitrary: fc.tuple(scalar, from).map(([x, rest]) => {
      return toCall({ sql: `select t.timestamp, t.id, ${x} as v ${rest} order by t.timestamp desc`, limit: "2" });
    }),
    weight: 4,
  },
  {
    arbitrary: fc.constantFrom("minutely", "hourly", "daily").map((interval) => {
      return { endpoint: "usage.api-counts", parameters: { interval }, isExact: true };
    }),
    weight: 4,
  },
  { arbitrary: fc.constant({ ...toCall({}), path: "/tables" as const }), weight: 1 },
  {
    arbitrary: fc.oneof(wrongQuery, orderedQuery).map((sql) => ({ ...toCall({ sql }), path: "/parse" as const })),
    weight: 3,
  },
  { arbitrary: overview.map((parameters) => ({ ...toCall(parameters), path: "/overview" as const })), weight: 3 },
  {
    arbitrary: fc.tuple(fc.constantFrom("1", "20"), table).map(([count, name]) => {
      return { ...toCall({ count, table: name }), path: "/around" as const };
    }),
    weight: 2,
  },
  {
    // The request of yesterday, which every tenant has.
    arbitrary: scalar.map((x) => {
      const sql =
        `select t.timestamp, t.id, ${x} as v from edge_logs t cross join unnest(metadata) m order by ` +
        "t.timestamp desc";
      return { ...toCall({ sql, since: "3d" }), path: "/tail" as const };
    }),
    weight: 1,
  },
);

function toCall(parameters: Readonly<Record<string, string>>): TenantQuery {
  return { endpoint: "logs.all", parameters, isExact: true };
}
