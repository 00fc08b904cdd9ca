/**
 * ClickHouse's statements. What may fail is masked where it is printed (`compile/expression/calls.ts`): no pass has to
 * hide it.
 */
import { createStatements } from "../../sql/emit.ts";
import { spelling } from "./spelling.ts";

export const { guarded, emit } = createStatements(spelling, (root) => root);
