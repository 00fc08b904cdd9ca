import { callApi } from "../api/client.ts";

/** How an endpoint was called. */
export interface EndpointUse {
  readonly endpoint: string;
  readonly calls: number;
  readonly errors: number;
  readonly hits: number;
  readonly p50: number | null;
  readonly p95: number | null;
}

const use = `SELECT metadata.endpoint AS endpoint, SUM(metadata.count) AS calls,
  SUM(IF(metadata.outcome = 'ok', 0, metadata.count)) AS errors,
  SUM(IF(metadata.cache = 'hit', metadata.count, 0)) AS hits,
  APPROX_QUANTILES(SAFE_CAST(metadata.duration_ms AS FLOAT64), 100)[OFFSET(50)] AS p50,
  APPROX_QUANTILES(SAFE_CAST(metadata.duration_ms AS FLOAT64), 100)[OFFSET(95)] AS p95
FROM \`logweir.audit\`
WHERE metadata.action = 'endpoint.run' AND timestamp > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 DAY)
GROUP BY 1`;

async function ask<Row>(sql: string, signal: AbortSignal): Promise<readonly Row[]> {
  const { result } = await callApi("runQuery", { body: { sql }, signal });
  return result as unknown as readonly Row[];
}

/** Calls of the last day, by endpoint, as the audit tells them. */
export async function readUse(signal: AbortSignal): Promise<ReadonlyMap<string, EndpointUse>> {
  const rows = await ask<EndpointUse>(use, signal);
  return new Map(rows.map((row) => [row.endpoint, row]));
}

/** Who called an endpoint in the last day, most calls first. */
export function readCallers(
  endpoint: string,
  signal: AbortSignal,
): Promise<readonly { actor: string; calls: number; newest: number }[]> {
  return ask(
    `SELECT metadata.actor AS actor, SUM(metadata.count) AS calls, UNIX_MILLIS(MAX(timestamp)) AS newest
FROM \`logweir.audit\`
WHERE metadata.action = 'endpoint.run' AND metadata.endpoint = ${JSON.stringify(endpoint)}
  AND timestamp > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 DAY)
GROUP BY 1 ORDER BY calls DESC LIMIT 20`,
    signal,
  );
}

/** When each token was last used, in milliseconds since 1970. */
export async function readLastUse(signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
  const rows = await ask<{ actor: string; newest: number }>(
    "SELECT metadata.actor AS actor, UNIX_MILLIS(MAX(timestamp)) AS newest FROM `logweir.audit` WHERE metadata.actor IS NOT NULL GROUP BY 1",
    signal,
  );
  return new Map(rows.map(({ actor, newest }) => [actor, newest]));
}
