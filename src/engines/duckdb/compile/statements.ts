/** DuckDB's statements: what has passed the safety pass, and only that, becomes text. */
import { createStatements, StatementTooComplex } from "../../sql/emit.ts";
import { mapTree } from "../../sql/map-tree.ts";
import { Fact, type Sql } from "../../sql/node.ts";
import { spelling } from "../sql/spelling.ts";
import { guardHiddenFailures } from "./hidden-failures.ts";

/** DuckDB takes twice as long to plan each lambda that is inside another. */
const MAX_LAMBDA_DEPTH = 12;

/** The tree itself. Throws `StatementTooComplex` where lambdas are inside each other too often. */
function refuseDeepLambdas(root: Sql): Sql {
  let depth = 0;
  const isLambda = ({ kind }: Sql) => kind === "lambda";
  return mapTree(root, {
    fact: Fact.LAMBDA,
    enter: (node) => {
      if (isLambda(node) && ++depth > MAX_LAMBDA_DEPTH) {
        const message = `The query nests computations too deeply: more than ${MAX_LAMBDA_DEPTH} inside each other`;
        throw new StatementTooComplex(message);
      }
    },
    leave: (node) => {
      if (isLambda(node)) depth--;
      return node;
    },
  });
}

export const { guarded, emit } = createStatements(spelling, (root) => refuseDeepLambdas(guardHiddenFailures(root)));
