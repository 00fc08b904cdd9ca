/** How long a call takes from its text to the server's statement where no plan is cached: parser, resolver and compiler. */
import { openServerPlanner } from "../../test/endpoints/server-planner.ts";
import { benchQueries, type QueryContext } from "../queries.ts";
import { quantileOf } from "../statistics.ts";

const PLANS = 300;

/** Median milliseconds, by the queries' keys. */
export async function measurePlanning(context: QueryContext): Promise<ReadonlyMap<string, number>> {
  const { endpoints, plan } = await openServerPlanner();
  const medians = new Map<string, number>();
  // What other limits make are other plans.
  let limit = 0;
  for (const { key, logweir } of benchQueries) {
    const { endpoint: asked, parameters } = logweir(context);
    const name = asked === "logs.all" ? asked : "usage.api-counts";
    const endpoint = endpoints.find(({ definition }) => definition.name === name);
    if (endpoint === undefined) throw new Error(`There is no endpoint ${name}`);
    const times: number[] = [];
    for (let count = 0; count < 2 * PLANS; count++) {
      const startedAt = performance.now();
      plan(endpoint, parameters.sql, "sql", ++limit);
      times.push(performance.now() - startedAt);
    }
    medians.set(key, quantileOf(times.slice(PLANS), 0.5));
  }
  return medians;
}
