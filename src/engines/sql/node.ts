/**
 * SQL as a tree: immutable nodes, each with facts that are computed from its children when it is made. What an engine
 * adds (types, escaping, which functions can fail) is in its `Dialect` and its `Spelling`.
 */

/** Bits of `Sql.facts`. Those of `INHERITED` hold for whatever holds the node, the others for the node alone. */
export const Fact = {
  /** Holds a query. */
  QUERY: 1,
  LAMBDA: 2,
  TRY: 4,
  /** Fails the query for some values, outside of TRY, as the function tables declare it. */
  CAN_FAIL: 8,
  /** Holds a call, a cast or an operator, outside of TRY, that is not known to work for every value. */
  UNPROVEN: 16,
  /** Reads a column or a variable. */
  READS: 32,
  PLACEHOLDER: 64,
  CLOCK: 128,
  /** Holds a call that the engine's safety pass has to look at. */
  SUBJECT: 256,
  /** A column or a field of one, by its name. */
  COLUMN: 512,
  /** A literal or a parameter, perhaps with its type. */
  CONSTANT: 1024,
  /** A constant without a type of its own. */
  BARE: 2048,
  /** Costs nothing to repeat. */
  REPEATABLE: 4096,
  /** Holds what the engine does not compute: inherited as well, and never emitted. */
  REFUSED: 8192,
  /** Holds a BETWEEN: inherited as well. */
  BETWEEN: 16384,
} as const;

/** The facts of a node that hold for whatever holds it. */
export const INHERITED = 511 | Fact.REFUSED | Fact.BETWEEN;

const OF_A_LITERAL = Fact.CONSTANT | Fact.REPEATABLE;

/**
 * The kinds of nodes. Leaves: `words` are keywords and operators, printed as they are; a `name` is one of ours, as of a
 * type; a `column` is read by our own name (`token`), by any name (`value`), or by both; what is `refused` stands where
 * there is no SQL, and `token` says why. All others hold nodes:
 *
 * | kind | printed | `token` |
 * |---|---|---|
 * | `sequence` | the children one after the other | what stands between them |
 * | `call` | `name(a, b)` | the name |
 * | `cast` | `CAST(value AS type)` | the word |
 * | `group`, `list`, `struct` | `(a, b)`, `[a, b]`, `{a, b}` | |
 * | `field` | `'name': value` | the name |
 * | `lambda` | its parameters, its body | |
 * | `try` | `TRY(value)` | |
 * | `query` | `SELECT` and the rest of it | |
 * | `clock` | what reads the engine's clock | |
 */
export type Kind = LeafKind | InnerKind;
export type LeafKind = "words" | "name" | "column" | "literal" | "placeholder" | "refused";
export type InnerKind =
  | "sequence"
  | "call"
  | "cast"
  | "group"
  | "list"
  | "struct"
  | "field"
  | "lambda"
  | "try"
  | "query"
  | "clock";

/** The value of a literal: NULL, TRUE or FALSE, an integer or a text. */
export type LiteralValue = bigint | string | boolean | null;

const NONE: readonly Sql[] = [];

/** A node. Immutable; made by templates and the constructors of the engines' rooms, and by nothing else. */
export class Sql {
  // Declared alone: V8 would set each field a second time before the constructor does, and plans make many nodes.
  declare readonly kind: Kind;
  declare readonly facts: number;
  declare readonly token: string;
  declare readonly children: readonly Sql[];
  /** The value of a literal, the number of a placeholder, or the name of a column, if that may be any text. */
  declare readonly value: LiteralValue | undefined;

  constructor(kind: Kind, facts: number, token: string, children: readonly Sql[] = NONE, value?: LiteralValue) {
    this.kind = kind;
    this.facts = facts;
    this.token = token;
    this.children = children;
    this.value = value;
  }

  /** Holds a sub-query: no lambda may hold it, and repeating it runs it again. */
  get holdsQuery(): boolean {
    return (this.facts & Fact.QUERY) !== 0;
  }

  get holdsLambda(): boolean {
    return (this.facts & Fact.LAMBDA) !== 0;
  }

  /** Holds a lambda or TRY, which DuckDB binds to the columns of one query only. */
  get readsOneQuery(): boolean {
    return (this.facts & (Fact.LAMBDA | Fact.TRY)) !== 0;
  }

  /** Reads the engine's clock. */
  get readsClock(): boolean {
    return (this.facts & Fact.CLOCK) !== 0;
  }

  /** A conversion that fails the query for some values stands in it, outside of TRY. Known of what casts print. */
  get canFail(): boolean {
    return (this.facts & Fact.CAN_FAIL) !== 0;
  }

  /** Something in it is not computed by the engine. */
  get isRefused(): boolean {
    return (this.facts & Fact.REFUSED) !== 0;
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

  /** The written value: NULL, a truth value, an integer or a text; undefined for any other expression. */
  get literal(): LiteralValue | undefined {
    return this.kind === "literal" ? this.value : undefined;
  }

  /** The integer that is written out; undefined where the expression is something else. */
  get integer(): bigint | undefined {
    return typeof this.literal === "bigint" ? this.literal : undefined;
  }

  /** The text that is written out; undefined where the expression is something else. */
  get literalText(): string | undefined {
    return typeof this.literal === "string" ? this.literal : undefined;
  }

  /** Throws: SQL becomes text in the emitter only, once it has passed what keeps it safe. */
  toString(): never {
    throw new Error(`SQL in a plain string: ${this.kind} ${this.token}`);
  }
}

function factsOf(children: readonly Sql[]): number {
  let facts = 0;
  for (let index = 0; index < children.length; index++) facts |= (children[index] as Sql).facts;
  return facts & INHERITED;
}

/** The facts of a node of the kind, given those of its children. */
export function factsOfKind(kind: Kind, facts: number): number {
  switch (kind) {
    case "cast":
      return facts | Fact.UNPROVEN;
    case "clock":
      return facts | Fact.CLOCK;
    case "lambda":
      return facts | Fact.LAMBDA;
    case "query":
      return facts | Fact.QUERY;
    case "try":
      return withinTry(facts);
    default:
      return facts;
  }
}

/** A node with children. `facts` are its own, beside theirs and those of its kind. */
export function inner(kind: InnerKind, token: string, children: readonly Sql[], facts = 0): Sql {
  return new Sql(kind, factsOfKind(kind, factsOf(children)) | facts, token, children);
}

/** Returns the facts of an expression within TRY, where a failure is NULL. */
function withinTry(facts: number): number {
  return (facts & ~(Fact.CAN_FAIL | Fact.UNPROVEN)) | Fact.TRY;
}

/** Keywords and operators. An operator may fail for some values: arithmetic overflows. */
export function words(token: string): Sql {
  const facts = /[-+*/%]|::|\bESCAPE\b/.test(token) ? Fact.UNPROVEN : 0;
  return new Sql("words", /\bBETWEEN\b/.test(token) ? facts | Fact.BETWEEN : facts, token);
}

/** One of our names that reads nothing: of a function, a type, a table, a field. */
export function name(token: string): Sql {
  return new Sql("name", 0, token);
}

/** A column or a variable: by our name, by a name that may be any text, or by the latter below the former. */
export function column(token: string, any?: string): Sql {
  return new Sql("column", Fact.COLUMN | Fact.REPEATABLE | Fact.READS, token, NONE, any);
}

/** A literal; `type` makes it one of a type, by its name. */
export function literal(value: LiteralValue, type = ""): Sql {
  return new Sql("literal", OF_A_LITERAL | (type === "" ? Fact.BARE : Fact.UNPROVEN), type, NONE, value);
}

/** Digits that are no integer. */
export function digits(token: string): Sql {
  return new Sql("words", OF_A_LITERAL | Fact.BARE | (/[-+]/.test(token) ? Fact.UNPROVEN : 0), token);
}

/** The placeholder of a parameter, by its number; `type` is its type's name where the engine wants it there. */
export function placeholder(index: number, type = ""): Sql {
  return new Sql("placeholder", OF_A_LITERAL | Fact.BARE | Fact.PLACEHOLDER, type, NONE, BigInt(index));
}

/** Marks a reading of the engine's clock: a pass may put an instant in its place. */
export function clock(reading: Sql): Sql {
  return inner("clock", "", [reading]);
}

/** The node with the facts; it has all others that it had. */
export function withFacts({ kind, facts, token, children, value }: Sql, added: number): Sql {
  return new Sql(kind, facts | added, token, children, value);
}

/** The node without the facts; itself where it has none of them. */
export function withoutFacts(node: Sql, dropped: number): Sql {
  const { kind, facts, token, children, value } = node;
  return (facts & dropped) === 0 ? node : new Sql(kind, facts & ~dropped, token, children, value);
}

/** The node with other children. It has the facts that it had, and theirs. */
export function withChildren({ kind, facts, token, value }: Sql, children: readonly Sql[]): Sql {
  return new Sql(kind, facts | factsOfKind(kind, factsOf(children)), token, children, value);
}

/** No SQL at all. */
export const EMPTY = new Sql("sequence", 0, "");

/** The text between joined nodes. */
export type Separator =
  | ""
  | " "
  | ", "
  | " AS "
  | " AND "
  | " OR "
  | " || "
  | " || ',' || "
  | " || ', ' || "
  | " + "
  | " / "
  | Operator;
type Operator = " & " | " | " | ` ${"UNION" | "INTERSECT" | "EXCEPT"}${"" | " ALL" | " DISTINCT"} `;

/** The nodes one after the other. */
export function joinSql(nodes: readonly Sql[], separator: Separator): Sql {
  const [first = EMPTY] = nodes;
  if (nodes.length <= 1) return first;
  const isUnproven = separator === " + " || separator === " / ";
  return inner("sequence", separator, nodes, isUnproven ? Fact.UNPROVEN : 0);
}

/** The printed items, joined. */
export function joinMapped<T>(items: readonly T[], separator: Separator, print: (item: T, index: number) => Sql): Sql {
  return joinSql(items.map(print), separator);
}
