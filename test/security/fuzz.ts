/**
 * `npm run fuzz -- --seconds 600 [--seed N]`: looks for texts that crash, stall or leave the sandbox, and prints
 * them.
 */
import { parseArgs } from "node:util";
import { fuzz } from "./fuzzing.ts";

const { values } = parseArgs({ options: { seconds: { type: "string" }, seed: { type: "string" } } });
const seconds = Number(values.seconds ?? "60");
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const end = performance.now() + seconds * 1_000;
const report = await fuzz({
  seed,
  isOver: () => performance.now() >= end,
  onFinding: (finding) => console.log(JSON.stringify(finding)),
});
console.log(
  `seed ${seed}: ${report.texts} texts in ${seconds} s, ${report.compiled} compiled, ` +
    `${report.findings.length} findings`,
);
process.exitCode = report.findings.length === 0 ? 0 : 1;
