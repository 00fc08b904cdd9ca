/**
 * How long the syntax half of the language takes, warm: `npx esbuild bench/parse.ts --bundle --platform=node
 * --format=esm | node --input-type=module`.
 */
import { lex } from "../src/googlesql/lexer/lex.ts";
import { MAX_TOKENS } from "../src/googlesql/limits.ts";
import { parseQuery } from "../src/googlesql/parse.ts";
import { THREE_CTES } from "./three-ctes.ts";

const WARM_UP_RUNS = 2_000;
const RUNS = 2_000;

/** The median of many runs, in microseconds. */
function measure(run: () => unknown): number {
  for (let i = 0; i < WARM_UP_RUNS; i++) run();
  const times: number[] = [];
  for (let i = 0; i < RUNS; i++) {
    const start = process.hrtime.bigint();
    run();
    times.push(Number(process.hrtime.bigint() - start) / 1_000);
  }
  times.sort((a, b) => a - b);
  return times[Math.floor(RUNS / 2)] ?? Number.NaN;
}

const lines = THREE_CTES.split("\n").length;
const rows: readonly (readonly [string, number])[] = [
  ["lex", measure(() => lex(THREE_CTES, MAX_TOKENS))],
  ["parse (lexing included)", measure(() => parseQuery(THREE_CTES))],
];
console.log(
  `query of ${lines} lines, ${THREE_CTES.length} characters, ${lex(THREE_CTES, MAX_TOKENS).length} tokens; ` +
    `median of ${RUNS}`,
);
for (const [name, median] of rows) console.log(`${name.padEnd(24)} ${median.toFixed(1).padStart(8)} us`);
