import type { Row, Surface, SurfaceAnswer, Values } from "./surface.ts";

/** Codes by the wording of an error: Loki's errors are plain text. */
const wordings: readonly (readonly [RegExp, string])[] = [
  [/This token (?:may not choose|is bound by)/, "pinned_parameter"],
  [/The tenant is missing/, "missing_parameter"],
  [/pipeline error/, "query_failed"],
  [/are larger than/, "result_too_large"],
  [/has more characters|max_query_characters/, "query_too_long"],
  [/^max entries limit/, "invalid_parameter"],
  [/took longer than|timed out/, "timeout"],
  [/This API reads logs\.all/, "refused"],
  [/access token/, "unauthorized"],
];

const many = "unnest(generate_array(1, 100000))";
/** The cases' queries in LogQL. */
const selector = '{source="mine"}';
const count = (stages: string) => `sum(count_over_time(${selector}${stages} [1h]))`;
const queries: ReadonlyMap<string, string> = new Map([
  ["select 1", selector],
  ["select id from mine", selector],
  ["select id from mine where project = 'uuu'", '{source="mine", project="uuu"}'],
  ["select * from mine limit 1", selector],
  [
    "select n from mine cross join unnest(generate_array(1, 1000)) as n",
    `${selector} | line_format \`{{repeat 2000 "x"}}\``,
  ],
  ["select count(*) as n from mine", count("")],
  [
    "select min(m.n) as low from mine cross join unnest(metadata) as m",
    `min(min_over_time(${selector} | unwrap n [1h]))`,
  ],
  [
    "select count(*) as n from mine cross join unnest(metadata) as m where 1 / m.n > 0",
    count(" | label_format x=`{{div 1 .n}}`"),
  ],
  [
    "select count(*) as n from mine where if(project = 'uuu', error(event_message), true)",
    count(' | label_format x=`{{if eq .project "uuu"}}{{div 1 0}}{{end}}`'),
  ],
  [
    `select sum(mod(a * b, 7)) as n from ${many} as a cross join ${many} as b`,
    selector + ' | label_format x=`{{regexReplaceAll "x|y" (repeat 100000 "x") "z"}}`'.repeat(6),
  ],
  [
    "select count(*) as n from mine where cast(replace(id, 'aaa-', '') as int64) >= 0",
    `sum(sum_over_time(${selector} | label_format k=\`{{trimPrefix "own " (trunc 5 __line__)}}\` | unwrap k [1h]))`,
  ],
  [
    "select cast(event_message as int64) as n from mine",
    `sum_over_time(${selector} | label_format k=\`{{__line__}}\` | unwrap k [1h])`,
  ],
  [
    "select count(*) as n from mine where event_message like '%someone@example.com%'",
    `${count(' |= "someone@example.com"')} or vector(0)`,
  ],
]);

/** Loki's read API: of an endpoint, the one that the token may query; the tenant is a header. */
export const lokiSurface: Surface = {
  name: "Loki",
  omits: new Map([
    ["a pinned parameter has no other value", "a header is no empty text, and none with spaces at its ends"],
    ["so is one that it reads as a table", "an endpoint without a sandbox has no tables"],
    ["a source without tenants is closed", "its table has no lines"],
    ["what is cached for one tenant of a list is not the other's, nor is a cursor", "there are no cursors"],
    ["a cursor of another tenant's page is none", "as above"],
    ["what is listed are the endpoints that the token may run", "a selector names no endpoint: tables are listed"],
    ["a token of one endpoint is told of that one", "as above"],
    ["the nearest name is not another tenant's field", "a label that no line has is empty"],
    ["a table that is not the endpoint's is denied", "a selector of another table finds no line"],
  ]),
  async connect(service, token, headers, narrow) {
    const ask = async (endpoint: string | undefined, path: string, { project, ...sent }: Values) => {
      const own = endpoint === undefined ? token : await narrow(endpoint);
      const response = await service.get(`/loki/api/v1/${path}`, sent as Record<string, string>, {
        ...{ "x-api-key": own, "x-loki-response-encoding-flags": "categorize-labels", ...headers },
        ...(project === undefined ? {} : { "x-scope-orgid": String(project) }),
      });
      const text = await response.text();
      const code = response.ok ? "ok" : (wordings.find(([wording]) => wording.test(text))?.[1] ?? text);
      return { code, text, body: response.ok ? (JSON.parse(text) as Body) : {} };
    };
    const query = async (
      endpoint: string,
      logql: string,
      { limit, cursor: _, ...more }: Values,
    ): Promise<SurfaceAnswer> => {
      const isMetric = !logql.startsWith("{");
      const sent = { query: logql, ...more, ...(limit === undefined ? {} : { limit: String(limit) }) };
      const { body, ...answer } = await ask(endpoint, isMetric ? "query" : "query_range", sent);
      const { result = [] } = (body.data as { readonly result?: readonly Found[] }) ?? {};
      return { ...answer, rows: isMetric ? result.map(toNumber(logql)) : result.flatMap(toRows) };
    };
    return {
      run: (endpoint, parameters) =>
        query(endpoint, `{source="${endpoint === "untold" ? "runs" : "mine"}"}`, parameters),
      query: (endpoint, { sql, lql, ...parameters }) =>
        query(endpoint, (lql === undefined ? queries.get(String(sql)) : selector) ?? String(sql), parameters),
      async list() {
        const { body, ...answer } = await ask(undefined, "label/source/values", {});
        const names = Array.isArray(body.data) ? (body.data as readonly string[]) : [];
        return { ...answer, rows: names.map((name) => ({ name })) };
      },
      async tables(endpoint, parameters) {
        const { body, code, text } = await ask(endpoint, "detected_fields", { query: selector, ...parameters });
        // Fields of the metadata are told without its name.
        return {
          code,
          rows: [],
          text: [text, ...(body.fields ?? []).map(({ label }) => `metadata.${label}`)].join("\n"),
        };
      },
      close: async () => undefined,
    };
  },
};

interface Body {
  readonly data?: unknown;
  readonly fields?: readonly { readonly label: string }[];
}

/** A stream, or the value of a metric. */
interface Found {
  readonly stream?: Row;
  readonly values?: readonly (readonly [string, string, { readonly structuredMetadata?: Row }])[];
  readonly value?: readonly [number, string];
}

/** Lines as rows. They have no ids; the message has the number. */
function toRows({ stream, values = [] }: Found): readonly Row[] {
  return values.map(([, line, { structuredMetadata }]) => {
    const [, tenant, number] = /^(own|uuu-message) (\d)/.exec(line) ?? [];
    return {
      ...stream,
      ...structuredMetadata,
      id: `${tenant === "own" ? "aaa" : "uuu"}-${number}`,
      event_message: line,
    };
  });
}

const toNumber =
  (logql: string) =>
  ({ value }: Found): Row => ({ [logql.startsWith("min") ? "low" : "n"]: Number(value?.[1]) });
