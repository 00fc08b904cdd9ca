/**
 * `npm run conformance:calls -- --seed N --count M`: M random calls of every function, over literals and over columns.
 * Prints the calls whose answers differ, and how many they are.
 */
import { parseArgs } from "node:util";
import { compareForms } from "./compare-forms.ts";

const { values } = parseArgs({
  options: { seed: { type: "string", default: "1" }, count: { type: "string", default: "10000" } },
});
const [seed, count] = [Number(values.seed), Number(values.count)];
const faults = await compareForms({ seed, count, together: 16 });
for (const fault of faults) console.log(fault);
console.log(`calls: ${count} of seed ${seed}, ${faults.length} differ`);
process.exitCode = faults.length > 0 ? 1 : 0;
