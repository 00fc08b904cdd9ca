import { callApi } from "../api/client.ts";

async function ask<Row>(sql: string, signal: AbortSignal): Promise<readonly Row[]> {
  const { result } = await callApi("runQuery", { body: { sql }, signal });
  return result as unknown as readonly Row[];
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
