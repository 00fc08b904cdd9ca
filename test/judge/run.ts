/** Many queries of one seed against the judge; what differs is made as short as it can be. */
import fc from "fast-check";
import { Random } from "../conformance/random/random.ts";
import { type Asked, compare, type Layer, layers, openAsked, type Verdict } from "./compare.ts";
import { writeQuery } from "./query-writer.ts";
import { makeTestData } from "./test-data.ts";

/** A query that the engine answers otherwise than the judge, and the decisions that made it. */
export interface Difference {
  readonly query: string;
  readonly layer: Layer;
  readonly data: readonly number[];
  readonly expected: unknown;
  readonly found: unknown;
}

export interface Outcome {
  readonly counts: Readonly<Record<Verdict["kind"], number>>;
  /** How often the engine refused a query for what reason, names left out. */
  readonly refusals: ReadonlyMap<string, number>;
  readonly differences: readonly Difference[];
}

const QUERIES_OF_A_WORLD = 100;
const MOST_DIFFERENCES = 5;
const LARGEST = 999;

function draw(random: Random, count: number): number[] {
  return [...random.times(count, () => random.below(LARGEST + 1))];
}

/** Shorter lists of smaller numbers, which make simpler queries and data, as long as they still differ. */
async function shrink(
  asked: Asked,
  numbers: readonly number[],
  data: readonly number[],
  layer: Layer,
): Promise<Difference> {
  let [best, simplest]: [Difference | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
  const list = fc.array(fc.nat({ max: LARGEST }), { maxLength: 400, size: "max" });
  const property = fc.asyncProperty(list, list, async (own, tables) => {
    await asked.fill(makeTestData(tables));
    const query = writeQuery(own);
    const verdict = await compare(asked, makeTestData(tables), query, layer);
    if (verdict.kind !== "different") return true;
    if (query.length <= simplest) {
      [best, simplest] = [
        { query, layer, data: tables, expected: verdict.expected, found: verdict.found },
        query.length,
      ];
    }
    return false;
  });
  await fc.check(property, { examples: [[[...numbers], [...data]]], numRuns: 1, interruptAfterTimeLimit: 20_000 });
  return (
    best ?? { query: writeQuery(numbers), layer, data, expected: undefined, found: "another answer the next time" }
  );
}

/** One engine's share of the queries: a new data every hundred of them. */
async function runLane(random: Random, count: number, outcome: MutableOutcome): Promise<void> {
  const asked = await openAsked();
  try {
    for (let made = 0; made < count && outcome.differences.length < MOST_DIFFERENCES; ) {
      const numbers = draw(random, 150);
      const data = makeTestData(numbers);
      await asked.fill(data);
      for (let own = 0; own < QUERIES_OF_A_WORLD && made < count; own++, made++) {
        const decisions = draw(random, 10 + random.below(80));
        const layer = layers[made % layers.length] ?? "none";
        const verdict = await compare(asked, data, writeQuery(decisions), layer);
        outcome.counts[verdict.kind]++;
        if (verdict.kind === "refused") {
          const reason = verdict.reason.replaceAll(/[a-z]*\d+/g, "#");
          outcome.refusals.set(reason, (outcome.refusals.get(reason) ?? 0) + 1);
        }
        if (verdict.kind === "different") {
          outcome.differences.push(await shrink(asked, decisions, numbers, layer));
          break;
        }
      }
    }
  } finally {
    asked.close();
  }
}

interface MutableOutcome {
  readonly counts: Record<Verdict["kind"], number>;
  readonly refusals: Map<string, number>;
  readonly differences: Difference[];
}

/** Runs as many queries, over several engines at once; stops soon after a few differences. */
export async function runJudge(seed: number, count: number, lanes: number): Promise<Outcome> {
  const outcome: MutableOutcome = {
    counts: { equal: 0, skipped: 0, refused: 0, different: 0 },
    refusals: new Map(),
    differences: [],
  };
  const share = Math.ceil(count / lanes);
  await Promise.all(Array.from({ length: lanes }, (_, lane) => runLane(new Random(seed + lane), share, outcome)));
  return outcome;
}
