/** DuckDB's statements: what has passed the safety pass, and only that, becomes text. */
import { createStatements } from "../../sql/emit.ts";
import { spelling } from "../sql/spelling.ts";
import { guardHiddenFailures } from "./hidden-failures.ts";

export const { guarded, emit } = createStatements(spelling, guardHiddenFailures);
