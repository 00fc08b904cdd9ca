import { callApi, runEndpoint } from "../api/client.ts";
import type { Row } from "./values.ts";

export const usageEndpoint = "usage.api-counts";

/** The areas that the endpoint counts, with the custom property of their colour. */
export const areas = [
  ["total_rest_requests", "REST", "--series-redirect"],
  ["total_auth_requests", "Auth", "--series-ok"],
  ["total_storage_requests", "Storage", "--series-warning"],
  ["total_realtime_requests", "Realtime", "--series-other"],
] as const;

/** Counts of one project, or of several together. */
export interface Usage {
  readonly name: string;
  readonly rows: readonly Row[];
}

/** Projects that are asked for at once. */
const maxProjects = 20;

/** How often each area was called; `project` is undefined where the token says which. */
export async function readUsage(project: string | undefined, interval: string, signal: AbortSignal): Promise<Usage> {
  const sent = { interval, ...(project === undefined ? {} : { project }) };
  const response = await runEndpoint(usageEndpoint, sent, { signal });
  const { result } = (await response.json()) as { readonly result: readonly Row[] };
  return { name: project ?? "", rows: result };
}

/** The same for the projects with the most requests of the last week; for owners, who may ask for any. */
export async function readAllUsage(interval: string, signal: AbortSignal): Promise<readonly Usage[]> {
  const projects = await listProjects(signal);
  const all = await Promise.all(projects.map((project) => readUsage(project, interval, signal)));
  return all.filter(({ rows }) => rows.length > 0).sort((a, b) => totalOf(b.rows) - totalOf(a.rows));
}

async function listProjects(signal: AbortSignal): Promise<readonly string[]> {
  const now = Date.now();
  const { result } = await callApi("countRows", {
    path: { endpoint: "source:edge" },
    signal,
    body: {
      from: new Date(now - 7 * 864e5).toISOString(),
      to: new Date(now).toISOString(),
      buckets: 1,
      facets: "project",
      values: maxProjects,
    },
  });
  return result.facets.flatMap(({ values }) => values.flatMap(({ value }) => (value === null ? [] : [value])));
}

/** Requests of all areas, or of one. */
export function totalOf(rows: readonly Row[], area?: string): number {
  const counted = area === undefined ? areas.map(([name]) => name as string) : [area];
  return rows.reduce((sum, row) => sum + counted.reduce((inner, name) => inner + Number(row[name] ?? 0), 0), 0);
}

/** One list of times for several projects: at each, the requests of each project, in their order. */
export function sumUp(all: readonly Usage[]): {
  readonly times: readonly string[];
  readonly counts: readonly number[][];
} {
  const times = [...new Set(all.flatMap(({ rows }) => rows.map(({ timestamp }) => String(timestamp))))].sort();
  const counts = all.map(({ rows }) => {
    const byTime = new Map(rows.map((row) => [String(row.timestamp), totalOf([row])]));
    return times.map((time) => byTime.get(time) ?? 0);
  });
  return { times, counts };
}
