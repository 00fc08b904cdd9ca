/**
 * Printed SQL with what the compiler has to know of it. Facts travel with the SQL by construction: a template joins
 * those of its parts, and makes none of its own text. What makes a fact has a constructor (`atoms.ts`, `forms.ts`), and
 * `sql-words.test.ts` refuses its words in any other template.
 */

/** Bits of `Sql.facts`. Those up to `INHERITED` hold for whatever holds the piece, the others for the piece alone. */
export const Fact = {
  QUERY: 1,
  LAMBDA: 2,
  TRY: 4,
  CAN_FAIL: 8,
  /** A column or a field of one, by its name. */
  COLUMN: 16,
  /** A literal or a parameter, perhaps with its type. */
  CONSTANT: 32,
  /** A constant without a type of its own. */
  BARE: 64,
  /** Costs nothing to repeat. */
  REPEATABLE: 128,
  /** One name, such as that of a type. */
  NAME: 256,
} as const;

const INHERITED = Fact.QUERY | Fact.LAMBDA | Fact.TRY | Fact.CAN_FAIL;

/** What a literal says: NULL, TRUE or FALSE, an integer or a text. */
export type LiteralValue = bigint | string | boolean | null;

/** A piece of a statement. Immutable; made by `sql` and the constructors beside it, and by nothing else. */
export class Sql {
  readonly text: string;
  readonly facts: number;
  /** Of a literal: what it says; undefined for anything else. */
  readonly value: LiteralValue | undefined;

  constructor(text: string, facts: number, value?: LiteralValue) {
    this.text = text;
    this.facts = facts;
    this.value = value;
  }

  /** A sub-query stands in it: no lambda may hold it, and repeating it runs it again. */
  get holdsQuery(): boolean {
    return (this.facts & Fact.QUERY) !== 0;
  }

  /** A lambda stands in it. */
  get holdsLambda(): boolean {
    return (this.facts & Fact.LAMBDA) !== 0;
  }

  /** It holds a lambda or TRY, which DuckDB binds to the columns of one query only. */
  get readsOneQuery(): boolean {
    return (this.facts & (Fact.LAMBDA | Fact.TRY)) !== 0;
  }

  /** A conversion that fails the query for some values stands in it, outside of TRY. Known of what casts print. */
  get canFail(): boolean {
    return (this.facts & Fact.CAN_FAIL) !== 0;
  }

  /** A column (as a DOUBLE, too), a literal or a parameter, which cost nothing to repeat. */
  get isRepeatable(): boolean {
    return (this.facts & Fact.REPEATABLE) !== 0;
  }

  /** A column and nothing else. */
  get isColumn(): boolean {
    return (this.facts & Fact.COLUMN) !== 0;
  }

  /** A literal or a parameter, perhaps with its type. */
  get isConstant(): boolean {
    return (this.facts & Fact.CONSTANT) !== 0;
  }

  /** The integer that is written out; undefined where the expression is something else. */
  get integer(): bigint | undefined {
    return typeof this.value === "bigint" ? this.value : undefined;
  }

  /** The text that is written out; undefined where the expression is something else. */
  get literalText(): string | undefined {
    return typeof this.value === "string" ? this.value : undefined;
  }

  /** Throws: a plain string would lose the facts. `text` is for code that has the finished statement. */
  toString(): never {
    throw new Error(`SQL in a plain string: ${this.text}`);
  }
}

/** The pieces in their places between the template's own text, with the facts that they hand on. */
export function sql(strings: TemplateStringsArray, ...parts: readonly Sql[]): Sql {
  let text = strings[0] ?? "";
  let facts = 0;
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] as Sql;
    text += part.text + strings[index + 1];
    facts |= part.facts;
  }
  return new Sql(text, facts & INHERITED);
}

/** The facts of the piece that hold for whatever holds it. */
export function inheritedFacts({ facts }: Sql): number {
  return facts & INHERITED;
}

/** What may stand between joined pieces. */
export type Separator =
  | ""
  | " "
  | ", "
  | " AND "
  | " OR "
  | " || "
  | " || ',' || "
  | " || ', ' || "
  | " + "
  | " / "
  | Operator;
type Operator = " & " | " | " | ` ${"UNION" | "INTERSECT" | "EXCEPT"}${"" | " ALL"} `;

/** The pieces one after the other. */
export function joinSql(parts: readonly Sql[], separator: Separator): Sql {
  const [first = EMPTY] = parts;
  if (parts.length <= 1) return first;
  let { text, facts } = first;
  for (let index = 1; index < parts.length; index++) {
    const part = parts[index] as Sql;
    text += separator + part.text;
    facts |= part.facts;
  }
  return new Sql(text, facts & INHERITED);
}

/** The pieces with a space between them: a long template in several lines. */
export function spaced(...parts: readonly Sql[]): Sql {
  return joinSql(parts, " ");
}

/** No SQL at all. */
export const EMPTY = new Sql("", 0);

/** The piece with the facts; it has all others that it had. */
export function withFacts({ text, facts, value }: Sql, added: number): Sql {
  return new Sql(text, facts | added, value);
}

/** The piece without the facts; itself where it has none of them. */
export function withoutFacts(piece: Sql, dropped: number): Sql {
  const { text, facts, value } = piece;
  return (facts & dropped) === 0 ? piece : new Sql(text, facts & ~dropped, value);
}
