/** Which arguments of a call are computed only for certain values of others, and for which. */
import { functionFacts } from "../../../../googlesql/catalogue/index.ts";
import type { FunctionFacts } from "../../../../googlesql/catalogue/types.ts";
import type { CallExpr } from "../../../../googlesql/resolved.ts";
import { both, either, isTrue, none } from "../../sql/forms.ts";
import { type Sql, sql } from "../../sql/sql.ts";

/** The guard of a call's next argument, as it grows with each argument before it: a node for each. */
interface Growth {
  /** With one more argument. */
  readonly add: (before: Sql | undefined, argument: Sql) => Sql;
  /** The guard that what was added comes to; it itself where this is absent. */
  readonly guardOf?: (added: Sql | undefined) => Sql | undefined;
}

const growths: Readonly<Record<NonNullable<FunctionFacts["laziness"]>, Growth>> = {
  conjunction: { add: (before, argument) => both(before, sql`ifNull(${argument}, true)`) },
  disjunction: { add: (before, argument) => either(before, isTrue(argument)), guardOf: none },
  fallback: { add: (before, argument) => both(before, sql`isNull(${argument})`) },
  // IF: the second argument where the first is true, the third where it is not.
  choice: { add: (before, argument) => (before === undefined ? isTrue(argument) : sql`NOT ${before}`) },
};

/** The guards of a call's arguments, in order. */
export class ArgumentGuards {
  readonly #growth: Growth | undefined;
  #added: Sql | undefined;

  /** Without any for a call that computes all of its arguments. */
  constructor({ function: name }: CallExpr) {
    const { laziness } = functionFacts(name);
    this.#growth = laziness === undefined ? undefined : growths[laziness];
  }

  /** The guard of the next argument. */
  get guard(): Sql | undefined {
    return this.#growth?.guardOf?.(this.#added) ?? this.#added;
  }

  /** Takes note of an argument that was printed. */
  add(argument: Sql): void {
    this.#added = this.#growth?.add(this.#added, argument);
  }
}
