import { readConfiguration } from "../../src/config/config.ts";
import type { EngineSizes } from "../../src/engines/index.ts";
import { startService } from "../../src/service/service.ts";

/** Small enough that checkpoints, compactions and the giving back of the disk happen all the time. */
const smallSizes: EngineSizes = {
  checkpointBytes: 1024 * 1024,
  compaction: { minRows: 2_000, maxRows: 20_000, everyMs: 100, spareBytes: 1024 * 1024 },
};

/** Runs a service in this process until it is killed; prints its address. */
export async function runWorker(isSmall: boolean): Promise<void> {
  const configuration = readConfiguration({ workingDir: process.cwd(), packageDir: process.cwd() });
  const service = await startService(configuration, { engineSizes: isSmall ? smallSizes : {} });
  process.once("SIGTERM", () => void service.stop());
  process.stdout.write(`${service.url}\n`);
}
