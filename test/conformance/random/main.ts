/**
 * `npm run conformance:random -- --seed N --count M`: random queries, a line of JSON each. `query` is the text; `plain`
 * is the same in other words where the text uses pipes, which not every implementation has.
 */
import { parseArgs } from "node:util";
import { Random } from "./random.ts";
import { QueryShapes } from "./shapes.ts";

const { values } = parseArgs({
  options: { seed: { type: "string", default: "1" }, count: { type: "string", default: "100" } },
});
const shapes = new QueryShapes(new Random(Number(values.seed)));
for (let made = 0; made < Number(values.count); made++) process.stdout.write(`${JSON.stringify(shapes.write())}\n`);
