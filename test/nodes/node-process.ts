import { readConfiguration } from "../../src/config/config.ts";
import { openMemoryEngine } from "../../src/engines/index.ts";
import { startService } from "../../src/service/service.ts";

/**
 * A node in a process of its own; prints its address. Its engine is in memory, and stands for one that nodes share:
 * events differ from node to node, all else is theirs together.
 */
const configuration = readConfiguration({ workingDir: process.cwd(), packageDir: process.cwd() });
const service = await startService(configuration, {
  openEngine: () => openMemoryEngine({ threads: 1 }),
  isEngineShared: true,
});
process.once("SIGTERM", () => void service.stop());
process.stdout.write(`${service.url}\n`);
