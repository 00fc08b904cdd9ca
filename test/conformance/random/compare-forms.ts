/** Runs calls over literals beside the same over columns. */
import { openAsker } from "./ask.ts";
import { CALL_SHAPES, type Call, type CallShape, overColumns, overLiterals, writeCalls } from "./forms.ts";
import { Random } from "./random.ts";

type Ask = ReturnType<typeof openAsker>["ask"];

/** Answers of calls over literals, as JSON; undefined for one that fails. Those of a query that fails are halved. */
async function answerLiterals(ask: Ask, calls: readonly Call[]): Promise<readonly (string | undefined)[]> {
  const { rows } = await ask(overLiterals(calls));
  const [row] = (rows ?? []) as readonly (readonly unknown[])[];
  if (row !== undefined) return row.map((cell) => JSON.stringify(cell));
  if (calls.length === 1) return [undefined];
  const middle = calls.length >> 1;
  const [left, right] = [calls.slice(0, middle), calls.slice(middle)];
  return [...(await answerLiterals(ask, left)), ...(await answerLiterals(ask, right))];
}

/** Differences between calls of one shape over literals and over columns. */
async function compareShape(ask: Ask, calls: readonly Call[]): Promise<readonly string[]> {
  const literals = await answerLiterals(ask, calls);
  const good = calls.flatMap((call, index) => (literals[index] === undefined ? [] : [{ call, due: literals[index] }]));
  const bad = calls.filter((_, index) => literals[index] === undefined);
  const faults: string[] = [];
  if (good.length > 0) {
    const query = overColumns(good.map(({ call }) => call));
    const { rows, error } = await ask(query);
    if (rows === undefined) faults.push(`${good[0]?.call.literal} over columns: ${error?.message}\n  ${query}`);
    for (const [index, row] of (rows ?? []).entries()) {
      const got = JSON.stringify((row as readonly unknown[])[0]);
      const { call, due } = good[index] ?? {};
      if (got !== due) faults.push(`${call?.literal}: ${due} over literals, ${got} over columns`);
    }
  }
  for (const call of bad) {
    const { rows } = await ask(overColumns([call]));
    if (rows !== undefined) faults.push(`${call.literal} fails over literals, over columns: ${JSON.stringify(rows)}`);
  }
  return faults;
}

/** Can the shape's formats and patterns be read of columns? */
async function readsColumns(ask: Ask, random: Random, shape: CallShape): Promise<boolean> {
  const calls = writeCalls(random, shape, 1, false);
  const { error } = await ask(overColumns(calls));
  return error === undefined || error.code === "query_failed";
}

export interface FormsOptions {
  readonly seed: number;
  /** Calls of all functions together. */
  readonly count: number;
  /** Calls of one shape in one query. */
  readonly together: number;
}

/** Every difference that random calls of all functions show, by the seed that made them. */
export async function compareForms({ seed, count, together }: FormsOptions): Promise<readonly string[]> {
  const random = new Random(seed);
  const asker = openAsker();
  const faults: string[] = [];
  const inText = new Map<CallShape, boolean>();
  try {
    for (let made = 0; made < count; made += together) {
      const shape = random.pick(CALL_SHAPES);
      const areFixed = inText.get(shape) ?? !(await readsColumns(asker.ask, random, shape));
      inText.set(shape, areFixed);
      const calls = writeCalls(random, shape, together, areFixed || random.chance(30));
      faults.push(...(await compareShape(asker.ask, calls)));
    }
  } finally {
    await asker.close();
  }
  return faults;
}
