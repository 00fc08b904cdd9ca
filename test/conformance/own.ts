/**
 * `npm run conformance:own [-- --engine duckdb|clickhouse]`: runs every case that is the project's own, and prints how
 * many there are and what fails. The server is as for `npm run conformance`.
 */
import { parseArgs } from "node:util";
import { openSharedServer } from "../clickhouse/shared-server.ts";
import { answerAll } from "./answers.ts";
import {
  findCaseFault,
  findServerFault,
  findTableFault,
  type OwnCase,
  readCorpus,
  readFamilies,
  tables,
} from "./own-cases.ts";

const { values } = parseArgs({ options: { engine: { type: "string", default: "duckdb" } } });
const findFault = values.engine === "clickhouse" ? findServerFault : findCaseFault;
const shared = values.engine === "clickhouse" ? await openSharedServer() : undefined;

let wrong = 0;

function report(what: string, count: number, faults: readonly unknown[]): void {
  for (const fault of faults) console.log(JSON.stringify(fault));
  console.log(`${what}: ${count} cases, ${faults.length} wrong`);
  wrong += faults.length;
}

async function runCases(what: string, cases: readonly OwnCase[]): Promise<number> {
  const answers = await answerAll(cases, shared?.server);
  const faults = cases.flatMap((item) => findFault(item, answers.get(item)));
  report(what, cases.length, faults);
  return cases.length;
}

async function runTables(): Promise<number> {
  const cases = tables.flatMap((table) => table.cases);
  const answers = await answerAll(cases, shared?.server);
  const faults = cases.flatMap((item) => findTableFault(item, answers.get(item)));
  report("generated, with rows of a second way", cases.length, faults);
  return cases.length;
}

const counts = [
  await runCases(
    "written from the published reference",
    readCorpus().flatMap(({ cases }) => cases),
  ),
  await runCases(
    "written, and run beside an implementation of the reference",
    readFamilies().flatMap(({ cases }) => cases),
  ),
  await runTables(),
];
await shared?.release();
console.log(`own cases: ${counts.reduce((sum, count) => sum + count, 0)}, ${wrong} wrong`);
process.exitCode = wrong > 0 ? 1 : 0;
