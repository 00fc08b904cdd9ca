import { mapTree } from "./map-tree.ts";
import { Fact, type Sql } from "./node.ts";

/** The tree with the instant in the place of all that reads the engine's clock. */
export function stopClock(root: Sql, instant: Sql): Sql {
  return mapTree(root, { fact: Fact.CLOCK, leave: (node) => (node.kind === "clock" ? instant : node) });
}
