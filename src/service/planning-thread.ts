/** The entry of the thread that plans long queries. */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { PlanningData } from "../endpoints/call/plan/apart/protocol.ts";
import { servePlanning } from "../endpoints/call/plan/apart/serve-planning.ts";
import { compileApart } from "../engines/duckdb/compile/compile-apart.ts";

if (parentPort === null) throw new Error("This script runs as a worker thread");
const { questions, ...data } = workerData as PlanningData & { readonly questions: MessagePort };
servePlanning(parentPort, questions, data, compileApart);
