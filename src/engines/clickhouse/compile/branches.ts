/** Which arguments of a call are computed only for certain values of others, and for which. */
import { functionFacts } from "../../../googlesql/catalogue/index.ts";
import type { CallExpr } from "../../../googlesql/resolved.ts";
import { isTrue } from "../sql/forms.ts";
import { type Sql, sql } from "../sql/sql.ts";

/** The guard of what comes after more and more conditions: true where all of them are, or none is. */
export class GrowingGuard {
  readonly #holds: "all" | "none";
  #conditions: Sql | undefined;

  constructor(holds: "all" | "none") {
    this.#holds = holds;
  }

  add(condition: Sql): void {
    const before = this.#conditions;
    if (before === undefined) this.#conditions = condition;
    else this.#conditions = this.#holds === "all" ? sql`${before} AND ${condition}` : sql`${before} OR ${condition}`;
  }

  /** Over the conditions so far; undefined without any. */
  get guard(): Sql | undefined {
    const conditions = this.#conditions;
    return conditions === undefined || this.#holds === "all" ? conditions : sql`NOT (${conditions})`;
  }
}

/** The guards of a call's arguments, in order. */
export interface ArgumentGuards {
  /** The guard of the next argument. */
  readonly guard: Sql | undefined;
  /** Takes note of an argument that was printed. */
  add(argument: Sql): void;
}

function growing(holds: "all" | "none", conditionOf: (argument: Sql) => Sql): ArgumentGuards {
  const guard = new GrowingGuard(holds);
  return {
    get guard() {
      return guard.guard;
    },
    add: (argument) => guard.add(conditionOf(argument)),
  };
}

/** The two branches of IF. */
function ofIf(): ArgumentGuards {
  const printed: Sql[] = [];
  return {
    get guard() {
      const [condition] = printed;
      if (condition === undefined) return undefined;
      return printed.length === 1 ? isTrue(condition) : sql`NOT ${isTrue(condition)}`;
    },
    add: (argument) => void printed.push(argument),
  };
}

/**
 * Returns guards of arguments that are only computed if earlier ones require it; undefined for a call that computes
 * them all.
 */
export function argumentGuards({ function: name }: CallExpr): ArgumentGuards | undefined {
  switch (functionFacts(name).laziness) {
    case "conjunction":
      return growing("all", (argument) => sql`ifNull(${argument}, true)`);
    case "disjunction":
      return growing("none", isTrue);
    case "choice":
      return ofIf();
    case "fallback":
      return growing("all", (argument) => sql`isNull(${argument})`);
    default:
      return undefined;
  }
}
