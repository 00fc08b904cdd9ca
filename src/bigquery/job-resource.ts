import { toErrorProto } from "./error-body.ts";
import type { Job } from "./job-store.ts";
import { toSchema } from "./row-format.ts";

/** The dataset in which BigQuery's clients look for the result of a job, as a table with the job's id. */
export const resultsDataset = "_jobs";

/** BigQuery's `JobReference`. */
export function referJob({ project, id }: Pick<Job, "project" | "id">): object {
  return { projectId: project, jobId: id, location: "logweir" };
}

/** BigQuery's state of a job. */
export function stateOf({ endedAtMs }: Job): "DONE" | "RUNNING" {
  return endedAtMs === undefined ? "RUNNING" : "DONE";
}

/** BigQuery's `Job`. The query's parameters are left out: they may hold what the caller looks for. */
export function describeJob(job: Job): object {
  const { id, project, createdAtMs, endedAtMs, error } = job;
  const failed = error === undefined ? undefined : toErrorProto(error);
  return {
    kind: "bigquery#job",
    id: `${project}:logweir.${id}`,
    jobReference: referJob(job),
    configuration: {
      jobType: "QUERY",
      query: {
        query: job.text,
        useLegacySql: false,
        useQueryCache: job.usesCache,
        destinationTable: { projectId: project, datasetId: resultsDataset, tableId: id },
      },
    },
    status: { state: stateOf(job), errorResult: failed, errors: failed && [failed] },
    statistics: {
      creationTime: String(createdAtMs),
      startTime: String(createdAtMs),
      endTime: endedAtMs?.toString(),
      totalBytesProcessed: "0",
      query: {
        statementType: "SELECT",
        totalBytesProcessed: "0",
        totalBytesBilled: "0",
        cacheHit: job.isCacheHit,
        schema: toSchema(job.columns),
      },
    },
  };
}
