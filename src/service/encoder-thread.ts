/** The entry of the thread that reads long bodies of events and encodes them for the store. */
import { parentPort, workerData } from "node:worker_threads";
import { blockEncoder } from "../engines/clickhouse/blocks/event-encoder.ts";
import { batchEncoder } from "../engines/duckdb/batch/event-encoder.ts";
import { serveEncoder } from "../engines/encoder/serve-encoder.ts";
import { parseEvents } from "../ingest/parse-events.ts";

if (parentPort === null) throw new Error("This script runs as a worker thread");
if (workerData === "clickhouse") serveEncoder(parentPort, parseEvents, blockEncoder);
else serveEncoder(parentPort, parseEvents, batchEncoder);
