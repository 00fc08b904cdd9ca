import type { QueryCall } from "../../../endpoints/call/prepare/query-call.ts";
import { ServiceError } from "../../../shared/errors.ts";
import type { AppContext } from "../../app-context.ts";
import { lastText, type SentParameters } from "../../request/request-parameters.ts";

/** Names under which an endpoint takes queries in another dialect, unless an endpoint has the name itself. */
const dialects: Readonly<Record<string, { readonly name: string; readonly dialect: "clickhouse" }>> = {
  "logs.all.otel": { name: "logs.all", dialect: "clickhouse" },
};

/**
 * The endpoint that a name means, and the dialect of its callers' queries: `logs.all.otel` is `logs.all` by ClickHouse's
 * SQL. Throws `missing_parameter` for a call of such a name without a query.
 */
export function findDialect(
  { endpoints }: Pick<AppContext, "endpoints">,
  name: string,
  sent: SentParameters,
): { readonly name: string } & Pick<QueryCall, "dialect"> {
  const found = Object.hasOwn(dialects, name) ? dialects[name] : undefined;
  if (found === undefined || endpoints.find(name) !== undefined) return { name };
  if (lastText(sent.get("sql"))?.trim()) return found;
  throw new ServiceError("missing_parameter", `${name} runs the query in sql, and the call has none`, {
    parameter: "sql",
    hint: "Send a SELECT of ClickHouse's SQL over the table logs.",
  });
}
