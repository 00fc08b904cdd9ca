import type { Column, ExpressionWriter } from "./expressions.ts";
import type { Random } from "./random.ts";
import { ORDERED, TYPES } from "./values.ts";

export interface Table {
  /** A number that no two rows share, and the other columns. */
  readonly id: Column;
  readonly columns: readonly Column[];
  /** The table as it is written in FROM. */
  readonly sql: string;
}

/** A table of up to six rows, written as an array of structs. */
export function writeTable(
  random: Random,
  expressions: ExpressionWriter,
  types: readonly string[] = randomTypes(random),
  prefix = "c",
): Table {
  const columns = types.map((type, index) => ({ type, name: `${prefix}${index}` }));
  const id = { type: "INT64", name: `${prefix}id` };
  const rows = random.times(1 + random.below(6), (row) => {
    const cells = columns.map(({ type, name }) => `${expressions.value(type)}${row === 0 ? ` AS ${name}` : ""}`);
    return `${row === 0 ? "STRUCT" : ""}(${[`${row}${row === 0 ? ` AS ${id.name}` : ""}`, ...cells].join(", ")})`;
  });
  return { id, columns, sql: `UNNEST([${rows.join(", ")}])` };
}

export function randomTypes(random: Random): readonly string[] {
  return random.times(2 + random.below(3), () => random.pick(random.chance(70) ? ORDERED : TYPES));
}

export function orderedOf(columns: readonly Column[]): readonly Column[] {
  return columns.filter(({ type }) => ORDERED.includes(type));
}
