import { readFileSync } from "node:fs";
import { Type } from "typebox";
import { Value } from "typebox/value";

const share = Type.Number({ minimum: 0, maximum: 1 });

/** The shares that were reached once; a run below one of them fails. They only go up (wrong rows: down). */
const Floors = Type.Object({
  syntax_accepted: share,
  syntax_rejected: share,
  queries_right: share,
  queries_wrong_rows_at_most: share,
});

export type Scores = Readonly<Partial<Record<keyof typeof Floors.properties, number>>>;

/** Returns the scores below their floors in a JSON file, one line each. */
export function findShortfalls(floorsFile: string, scores: Scores): readonly string[] {
  const floors = Value.Parse(Floors, JSON.parse(readFileSync(floorsFile, "utf8")));
  return Object.entries(scores).flatMap(([name, score]) => {
    const floor = floors[name as keyof typeof floors];
    const isShort = name === "queries_wrong_rows_at_most" ? score > floor : score < floor;
    return isShort ? [`${name} is ${score.toFixed(4)}, the floor is ${floor}`] : [];
  });
}
