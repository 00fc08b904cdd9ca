import { test } from "vitest";
import { type Service, startService } from "./service.ts";

/**
 * A test with a service that all files of its worker share, for those that change no setting and read nothing of the
 * whole service: each has projects, sources, endpoints and tokens of its own names, and expects those of others beside
 * them. A source is one for all: the same field has the same type in every file. Its clock stands at `stoppedMs`; it
 * is started for the first file, and ends with the worker.
 */
// biome-ignore lint/correctness/noEmptyPattern: fixtures name what they use of others by destructuring
export const it = test.extend("sharedService", { scope: "worker" }, async ({}, { onCleanup }): Promise<Service> => {
  const service = await startService({ isStopped: true });
  onCleanup(async () => {
    await service.stop();
  });
  return service;
});
