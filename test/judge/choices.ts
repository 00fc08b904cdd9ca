/**
 * Decisions out of a list of numbers: the same list decides the same, and beyond its end each decision is the first, the
 * simplest one. So a shorter list, or one of smaller numbers, makes a simpler query.
 */
export class Choices {
  readonly #numbers: readonly number[];
  #at = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  /** A number from 0 to `below - 1`. */
  below(below: number): number {
    const number = this.#numbers[this.#at++] ?? 0;
    return below < 1 ? 0 : number % below;
  }

  /** False beyond the end of the list. */
  chance(percent: number): boolean {
    return this.below(100) >= 100 - percent;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  times<T>(count: number, make: (index: number) => T): readonly T[] {
    return Array.from({ length: count }, (_, index) => make(index));
  }
}
