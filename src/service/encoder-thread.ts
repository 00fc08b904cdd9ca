/** The entry of the thread that reads long bodies of events and encodes them for the store. */
import { parentPort } from "node:worker_threads";
import { serveEncoder } from "../engines/duckdb/encoder/serve-encoder.ts";
import { parseEvents } from "../ingest/parse-events.ts";

if (parentPort === null) throw new Error("This script runs as a worker thread");
serveEncoder(parentPort, parseEvents);
