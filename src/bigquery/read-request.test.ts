import { expect, it } from "vitest";
import { readJobRequest } from "./read-request.ts";

const requestOf = (jobId: unknown) => ({ configuration: { query: { query: "SELECT 1" } }, jobReference: { jobId } });

it("a job's id is a text of letters, digits, - and _, and may be left out", () => {
  expect(readJobRequest(requestOf("job-1_a")).jobId).toBe("job-1_a");
  for (const jobId of [undefined, null]) expect(readJobRequest(requestOf(jobId)).jobId).toBeUndefined();
  for (const jobId of ["", "a b", "a".repeat(1_025), 5, true, ["a"], {}, JSON.parse('{"toString":1}')]) {
    expect(() => readJobRequest(requestOf(jobId))).toThrow("jobReference.jobId must be a text");
  }
});
