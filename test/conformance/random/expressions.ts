import { CALLS } from "./calls.ts";
import { LITERALS } from "./literals.ts";
import type { Random } from "./random.ts";
import { randomValue } from "./random-values.ts";
import { COMPARED, ORDERED, TYPES, VALUES } from "./values.ts";

/** A column that an expression may read. */
export interface Column {
  readonly type: string;
  readonly name: string;
}

/** Types that `NULLIF` and CASE with a value cannot compare. */
function isCompared(type: string): boolean {
  return ORDERED.includes(type);
}

/** Writes expressions of a type over columns. */
export class ExpressionWriter {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** A value of the type: mostly one of the first of its list, which are the ordinary ones. */
  value(type: string): string {
    const values = VALUES[type] ?? ["NULL"];
    const other = this.#random.chance(25) ? randomValue(this.#random, type) : undefined;
    if (other !== undefined) return other;
    if (this.#random.chance(10)) return values.at(-1) ?? "NULL";
    return values[Math.min(this.#random.below(values.length), this.#random.below(values.length))] ?? "NULL";
  }

  anyType(): string {
    return this.#random.pick(TYPES);
  }

  /** An expression whose calls stand one in another `depth` times at most. */
  write(type: string, depth: number, columns: readonly Column[]): string {
    const own = columns.filter((column) => column.type === type);
    if (depth <= 0 || this.#random.chance(20)) {
      return own.length > 0 && this.#random.chance(75) ? this.#random.pick(own).name : this.value(type);
    }
    if (this.#random.chance(14)) return this.#conditional(type, depth - 1, columns);
    return this.#fill(this.#random.pick(CALLS[type] ?? [this.value(type)]), depth - 1, columns);
  }

  #fill(template: string, depth: number, columns: readonly Column[]): string {
    const bound: Readonly<Record<string, string>> = {
      A: this.anyType(),
      C: this.#random.pick(COMPARED),
      O: this.#random.pick(ORDERED),
    };
    const text = template.replace(/\{([^{}]+)\}/g, (_, name: string) => {
      const literals = LITERALS[name];
      return literals === undefined ? this.write(bound[name] ?? name, depth, columns) : this.#random.pick(literals);
    });
    return `(${text})`;
  }

  #conditional(type: string, depth: number, columns: readonly Column[]): string {
    const of = (kind: string) => this.write(kind, depth, columns);
    const forms = [
      () => `IF(${of("BOOL")}, ${of(type)}, ${of(type)})`,
      () => `COALESCE(${of(type)}, ${of(type)})`,
      () => `CASE WHEN ${of("BOOL")} THEN ${of(type)} WHEN ${of("BOOL")} THEN ${of(type)} ELSE ${of(type)} END`,
      () => `(SELECT ${of(type)})`,
      () => `IFNULL(${of(type)}, ${of(type)})`,
      () => `CASE ${of("INT64")} WHEN ${of("INT64")} THEN ${of(type)} ELSE ${of(type)} END`,
      () => `(SELECT v FROM (SELECT ${of(type)} AS v) WHERE ${of("BOOL")})`,
      () => `IF(${of("BOOL")}, ${of(type)}, (SELECT ${of(type)} FROM UNNEST([1]) z))`,
      () => (isCompared(type) ? `NULLIF(${of(type)}, ${of(type)})` : of(type)),
      () => (isCompared(type) ? `GREATEST(${of(type)}, ${of(type)})` : of(type)),
      () => (isCompared(type) ? `LEAST(${of(type)}, ${of(type)}, ${of(type)})` : of(type)),
    ];
    return this.#random.pick(forms)();
  }
}
