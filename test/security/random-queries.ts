import fc from "fast-check";

/** Tables of the endpoint, in several spellings, and names that a query may define for itself. */
const visible = ["edge_logs", "db_logs", "EDGE_LOGS", "`edge_logs`", "postgres_logs", "realtime_logs"];
/** Sources and physical tables behind the endpoint: readable only where the query itself defines the name. */
const hidden = ["edge", "db", "`postgres.logs`", "events_1", "a"];

const { query } = fc.letrec<{ query: string; relation: string; body: string; value: string; condition: string }>(
  (tie) => ({
    relation: fc.oneof(
      { maxDepth: 4, depthIdentifier: "query" },
      { arbitrary: fc.constantFrom(...visible), weight: 8 },
      { arbitrary: fc.constantFrom(...hidden), weight: 1 },
      { arbitrary: tie("query").map((text) => `(${text})`), weight: 4 },
    ),
    value: fc.oneof(
      { maxDepth: 4, depthIdentifier: "query" },
      { arbitrary: fc.constant("t.event_message"), weight: 4 },
      { arbitrary: fc.constant("to_json_string(t)"), weight: 1 },
      { arbitrary: fc.constant("max(t.event_message) over ()"), weight: 1 },
      { arbitrary: tie("relation").map((text) => `(select max(u.event_message) from ${text} u)`), weight: 2 },
      { arbitrary: tie("relation").map((text) => `(select string_agg(u.id || t.id) from ${text} u)`), weight: 1 },
      { arbitrary: tie("query").map((text) => `array_to_string(array(select s.id from (${text}) s), ',')`), weight: 1 },
    ),
    condition: fc.oneof(
      { maxDepth: 4, depthIdentifier: "query" },
      { arbitrary: fc.constant("true"), weight: 3 },
      { arbitrary: fc.constant("(t.id like '%' or @project = 'x')"), weight: 2 },
      { arbitrary: tie("relation").map((text) => `exists(select 1 from ${text} v where v.id = t.id)`), weight: 1 },
      { arbitrary: tie("query").map((text) => `t.id in (select w.id from (${text}) w)`), weight: 1 },
      { arbitrary: tie("condition").map((text) => `not (${text})`), weight: 1 },
    ),
    body: fc.oneof(
      { maxDepth: 4, depthIdentifier: "query" },
      fc
        .tuple(tie("value"), tie("relation"), tie("condition"))
        .map(([value, from, where]) => `select t.id as id, ${value} as event_message from ${from} t where ${where}`),
      fc
        .tuple(fc.constantFrom("join", "left join", "right join", "full join"), tie("relation"), tie("relation"))
        .map(
          ([join, left, right]) =>
            `select t.id as id, u.event_message as event_message from ${left} t ${join} ${right} u on true`,
        ),
      fc
        .tuple(tie("relation"), tie("relation"))
        .map(([left, right]) => `select t.id as id, u.event_message as event_message from ${left} t, ${right} u`),
      fc
        .tuple(fc.constantFrom("union all", "union distinct", "except distinct"), tie("body"), tie("body"))
        .map(([operator, left, right]) => `(${left}) ${operator} (${right})`),
      fc
        .tuple(tie("relation"), tie("condition"))
        .map(([from, where]) => `from ${from} |> as t |> where ${where} |> select id, event_message`),
      fc
        .tuple(tie("relation"), tie("condition"))
        .map(
          ([from, having]) =>
            `select max(t.id) as id, min(t.event_message) as event_message from ${from} t where ${having} ` +
            "having count(*) >= 0 order by 1 limit 5",
        ),
    ),
    query: fc.oneof(
      { maxDepth: 4, depthIdentifier: "query" },
      { arbitrary: tie("body"), weight: 3 },
      {
        arbitrary: fc
          .tuple(fc.constantFrom(...hidden, ...visible), tie("query"), tie("body"))
          .map(([name, definition, body]) => `with ${name} as (${definition}) ${body}`),
        weight: 2,
      },
    ),
  }),
);

/**
 * Consumers' queries of a grammar over names of tables, sources and common table expressions; each selects `id` and
 * `event_message`.
 */
export const consumerQueries: fc.Arbitrary<string> = query;
