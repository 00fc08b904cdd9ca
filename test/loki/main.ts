/**
 * `npm run judge:loki -- --loki BINARY`: pushes the same lines to Loki and to this service, asks both the same, and
 * prints what differs and a table. `--seed N` and `--generated N` choose the queries that are made by chance, `--only
 * TEXT` the cases whose section or query has the text.
 */
import { parseArgs } from "node:util";
import { privateToken, startService } from "../acceptance/service.ts";
import { generateQueries } from "./generate-queries.ts";
import { judge } from "./judge.ts";
import { askLines, askNumbers, type JudgeCase, writtenCases } from "./judge-cases.ts";
import { judgeTails } from "./judge-tails.ts";
import { printVerdicts } from "./print-verdicts.ts";
import { startLoki } from "./start-loki.ts";

const { values } = parseArgs({
  options: {
    ...{ loki: { type: "string" }, only: { type: "string", default: "" } },
    ...{ seed: { type: "string", default: "1" }, generated: { type: "string", default: "200" } },
  },
});
if (values.loki === undefined) {
  console.error("Usage: npm run judge:loki -- --loki BINARY [--seed N] [--generated N] [--only TEXT]");
  process.exit(2);
}

const made = generateQueries(Number(values.seed), Number(values.generated));
const cases: readonly JudgeCase[] = [
  ...writtenCases,
  ...made.log.flatMap((query) => askLines("generated log queries", query)),
  ...made.metric.flatMap((query) => askNumbers("generated metric queries", query)),
].filter(({ section, parameters }) => `${section}\n${parameters.query ?? ""}`.includes(values.only));

const loki = await startLoki(values.loki);
try {
  const service = await startService();
  try {
    const [theirs, ours] = [{ url: loki.url }, { url: service.url, token: privateToken }];
    const verdicts = [...(await judge(cases, theirs, ours)), ...(await judgeTails(values.only, theirs, ours))];
    process.stdout.write(`${printVerdicts(verdicts)}Judged by Loki ${loki.version}, seed ${values.seed}.\n`);
    process.exitCode = verdicts.some(({ kind }) => kind === "differs") ? 1 : 0;
  } catch (error) {
    console.error(loki.output().slice(-5_000));
    throw error;
  } finally {
    await service.stop();
  }
} finally {
  await loki.stop();
}
