import type { BigQuery } from "@google-cloud/bigquery";
import { connectBigQuery } from "../../support/bigquery/connect.ts";
import type { Row, Surface, SurfaceAnswer, Values } from "./surface.ts";

interface Failure {
  readonly message: string;
  readonly errors?: readonly { readonly debugInfo?: string }[];
}

type Interceptor = BigQuery["interceptors"][number]["request"];

/** BigQuery's API by its published client: an endpoint's tables instead of its own query. */
export const bigQuerySurface: Surface = {
  name: "BigQuery",
  omits: new Map([
    ["so is one that it reads as a table", "an endpoint without tables of its own is no dataset"],
    ["a source without tenants is closed", "its table is not listed"],
    [
      "of a list each call reads one tenant, which it has to name",
      "the client's project is the tenant where a call names none",
    ],
    ["a cursor of another tenant's page is none", "a page token belongs to its job, which no other token finds"],
    ["a token without pins chooses the tenant, and sees its rows alone", "as above"],
    ["rows are the token's at most", "more rows are refused, not cut"],
    ["what is listed are the endpoints that the token may run", "its datasets are those with tables"],
  ]),
  async connect(service, token, headers) {
    const client = connectBigQuery(service.url, token);
    const decorate = ((options) =>
      Object.assign(options, { headers: { ...options.headers, ...headers } })) as Interceptor;
    client.interceptors.push({ request: decorate });
    const answer = (work: () => Promise<Omit<SurfaceAnswer, "code">>): Promise<SurfaceAnswer> =>
      work().then(
        (given) => ({ code: "ok", ...given }),
        (error: unknown) => {
          const { message, errors } = error as Failure;
          const code = errors?.[0]?.debugInfo;
          // A dataset that the token may not query is not there.
          return {
            code: code === undefined || code === "unknown_endpoint" || code === "not_found" ? "refused" : code,
            rows: [],
            text: message + JSON.stringify(errors),
          };
        },
      );
    const ask = (endpoint: string, query: string, { limit, cursor, ...params }: Values) =>
      answer(async () => {
        const sent = { query, defaultDataset: { datasetId: endpoint }, params };
        const [job] = await client.createQueryJob(sent);
        const paging = { ...(limit === undefined ? {} : { maxResults: Number(limit) }) };
        const [rows, next] = await job.getQueryResults({
          ...paging,
          ...(cursor === undefined ? {} : { pageToken: String(cursor) }),
          autoPaginate: limit === undefined,
        });
        const { pageToken } = (next ?? {}) as { readonly pageToken?: string };
        return { rows: rows as Row[], text: JSON.stringify(rows), cursor: pageToken };
      });
    const tableOf = (endpoint: string) => (endpoint === "untold" ? "runs" : "mine");
    return {
      run: (endpoint, parameters) =>
        ask(endpoint, `SELECT id, event_message FROM ${tableOf(endpoint)} ORDER BY timestamp DESC`, parameters),
      query: (endpoint, { sql, lql, ...parameters }) =>
        ask(endpoint, lql === undefined ? String(sql) : "SELECT id FROM mine", parameters),
      list: () =>
        answer(async () => {
          const [datasets] = await client.getDatasets();
          return {
            rows: datasets.map(({ id }) => ({ name: id })),
            text: JSON.stringify(datasets.map((each) => each.metadata)),
          };
        }),
      tables: (endpoint, { project }) =>
        answer(async () => {
          // The project of the address is the tenant, where the token leaves a choice.
          if (typeof project === "string") client.projectId = project;
          const [tables] = await client.dataset(endpoint).getTables();
          const known = await Promise.all(tables.map((table) => table.getMetadata()));
          const paths = known.flatMap(([metadata]) => pathsOf((metadata as { schema: Fields }).schema, ""));
          return { rows: [], text: paths.join("\n") };
        }),
      close: async () => undefined,
    };
  },
};

interface Fields {
  readonly fields?: readonly (Fields & { readonly name: string })[];
}

/** The names of fields with dots between. */
function pathsOf({ fields = [] }: Fields, before: string): readonly string[] {
  return fields.flatMap((field) => [`${before}${field.name}`, ...pathsOf(field, `${before}${field.name}.`)]);
}
