/** The entry of the thread that reads long bodies of events and encodes them for the store. */
import { parentPort, workerData } from "node:worker_threads";
import { blockEncoder } from "../engines/clickhouse/blocks/event-encoder.ts";
import { BatchEncoder } from "../engines/duckdb/batch/event-encoder.ts";
import { serveEncoder } from "../engines/encoder/serve-encoder.ts";
import { parseEvents } from "../ingest/parse-events.ts";
import { readPlainBody } from "../ingest/plain-body.ts";

if (parentPort === null) throw new Error("This script runs as a worker thread");
const reading = { read: parseEvents, readPlain: readPlainBody };
if (workerData === "clickhouse") serveEncoder(parentPort, reading, blockEncoder);
else serveEncoder(parentPort, reading, new BatchEncoder());
