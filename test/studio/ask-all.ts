import { fillWithSampleEvents } from "../../src/demo/fill-with-sample-events.ts";
import { privateToken, startService } from "../acceptance/service.ts";
import type { BuiltQuery } from "./collect-queries.ts";

/** A query that was not answered, and why. */
export interface Refused extends BuiltQuery {
  readonly error: string;
}

/** Asks a service with a day of sample events for every query, and returns those that it refuses. */
export async function askAll(queries: readonly BuiltQuery[]): Promise<readonly Refused[]> {
  const service = await startService();
  try {
    const nowMs = Date.parse("2026-08-20T10:00:00Z");
    await fillWithSampleEvents({ url: service.url, token: privateToken, nowMs, eventCount: 600 });
    const window = { iso_timestamp_start: "2026-08-19T10:00:00.000Z", iso_timestamp_end: "2026-08-20T10:00:00.000Z" };
    const ask = async (query: BuiltQuery): Promise<readonly Refused[]> => {
      const response = await fetch(`${service.url}/api/endpoints/query/${query.endpoint}`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": privateToken },
        body: JSON.stringify({ project: "default", ...window, sql: query.sql }),
      });
      const text = await response.text();
      if (response.status === 200) return [];
      const { error } = JSON.parse(text) as { error: { code: string; message: string } };
      return [{ ...query, error: `${error.code}: ${error.message.split("\n")[0]}` }];
    };
    const refused: Refused[] = [];
    for (let at = 0; at < queries.length; at += 8) {
      refused.push(...(await Promise.all(queries.slice(at, at + 8).map(ask))).flat());
    }
    return refused;
  } finally {
    await service.stop();
  }
}
