/**
 * `npm run faults -- --rounds 60 [--seed 1] [--json]`: kills nodes, ClickHouse and PostgreSQL, and troubles the
 * connections between them, while events come in and queries run; fails when an event is lost or twice.
 */
import { parseArgs } from "node:util";
import { hasPostgres } from "../../support/postgres-cluster.ts";
import { runFaults } from "./run-faults.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string" }, seed: { type: "string" }, json: { type: "boolean" } },
});
process.exit(hasPostgres() ? await main() : 1);

/** The exit code. */
async function main(): Promise<number> {
  const report = await runFaults({
    rounds: Number(values.rounds ?? 60),
    seed: Number(values.seed ?? 1),
    log: (message) => process.stderr.write(`${message}\n`),
  });
  const { faults, acknowledged, rows, answers, doubledReads, slowestRecoveryMs, problems } = report;
  const text = [
    `Faults: ${list(faults)}`,
    `Answers: ${list(answers)}`,
    `${acknowledged} events acknowledged, ${rows} found; slowest recovery ${slowestRecoveryMs} ms`,
    `${doubledReads} reads saw an event twice while a node put it right`,
    problems.length === 0 ? "Every acknowledged event is there once." : problems.join("\n"),
  ];
  process.stdout.write(values.json === true ? `${JSON.stringify(report)}\n` : `${text.join("\n")}\n`);
  return problems.length === 0 ? 0 : 1;
}

function list(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");
}
