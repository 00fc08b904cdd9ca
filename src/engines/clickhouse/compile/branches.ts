/** Which arguments of a call are computed only for certain values of others, and for which. */
import { functionFacts } from "../../../googlesql/catalogue/index.ts";
import type { CallExpr } from "../../../googlesql/resolved.ts";
import { type Guard, guardOf } from "./compilation.ts";

/** True where the condition is, and false otherwise. */
export function isTrue(condition: string): string {
  return `ifNull(${condition}, false)`;
}

/** A guard over what was printed before: `begin`, the parts with `word` between them, and `end`. */
class PartsGuard implements Guard {
  readonly length: number;
  readonly #parts: readonly string[];
  readonly #count: number;
  readonly #frame: PartsFrame;

  /** The parts may grow, of which the guard has the first ones; `partsLength` is the sum of these. */
  constructor(parts: readonly string[], partsLength: number, frame: PartsFrame) {
    this.#parts = parts;
    this.#count = parts.length;
    this.#frame = frame;
    this.length = frame.begin.length + partsLength + (parts.length - 1) * frame.word.length + frame.end.length;
  }

  text(): string {
    const { begin, word, end } = this.#frame;
    return `${begin}${this.#parts.slice(0, this.#count).join(word)}${end}`;
  }
}

interface PartsFrame {
  readonly begin: string;
  readonly word: string;
  readonly end: string;
}

const ALL: PartsFrame = { begin: "", word: " AND ", end: "" };
const NONE: PartsFrame = { begin: "NOT (", word: " OR ", end: ")" };

/** Guards of what comes after more and more conditions, in a time that does not grow with their number. */
export class GrowingGuard {
  readonly #parts: string[] = [];
  readonly #frame: PartsFrame;
  #length = 0;

  private constructor(frame: PartsFrame) {
    this.#frame = frame;
  }

  /** True where all conditions are. */
  static all(): GrowingGuard {
    return new GrowingGuard(ALL);
  }

  /** True where none of the conditions is. */
  static none(): GrowingGuard {
    return new GrowingGuard(NONE);
  }

  add(condition: string): void {
    this.#parts.push(condition);
    this.#length += condition.length;
  }

  /** Over the conditions so far; undefined without any. */
  get guard(): Guard | undefined {
    return this.#parts.length === 0 ? undefined : new PartsGuard(this.#parts, this.#length, this.#frame);
  }
}

/** The guards of a call's arguments, in order. */
export interface ArgumentGuards {
  /** The guard of the next argument. */
  readonly guard: Guard | undefined;
  /** Takes note of an argument that was printed. */
  add(sql: string): void;
}

function growing(guard: GrowingGuard, conditionOf: (sql: string) => string): ArgumentGuards {
  return {
    get guard() {
      return guard.guard;
    },
    add: (sql) => guard.add(conditionOf(sql)),
  };
}

/** The two branches of IF. */
function ofIf(): ArgumentGuards {
  const printed: string[] = [];
  return {
    get guard() {
      const [condition] = printed;
      if (condition === undefined) return undefined;
      return guardOf(printed.length === 1 ? isTrue(condition) : `NOT ${isTrue(condition)}`);
    },
    add: (sql) => void printed.push(sql),
  };
}

/**
 * Returns guards of arguments that are only computed if earlier ones require it; undefined for a call that computes
 * them all.
 */
export function argumentGuards({ function: name }: CallExpr): ArgumentGuards | undefined {
  switch (functionFacts(name).laziness) {
    case "conjunction":
      return growing(GrowingGuard.all(), (sql) => `ifNull(${sql}, true)`);
    case "disjunction":
      return growing(GrowingGuard.none(), isTrue);
    case "choice":
      return ofIf();
    case "fallback":
      return growing(GrowingGuard.all(), (sql) => `isNull(${sql})`);
    default:
      return undefined;
  }
}
