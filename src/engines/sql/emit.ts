/** The emitter: a tree that has passed its engine's safety pass, as text. */
import { walkTree } from "./map-tree.ts";
import { Fact, type LiteralValue, type Sql } from "./node.ts";

/** How an engine writes what engines write differently. All escaping is here. */
export interface Spelling {
  text(value: string): string;
  /** A name that may be any text. */
  name(value: string): string;
  /** A literal that is no text; `type` is empty, or its type's name. */
  literal(value: Exclude<LiteralValue, string>, type: string): string;
  placeholder(number: number, type: string): string;
  /** The text before a lambda's parameters, and between them and its body. */
  readonly lambda: readonly [before: string, between: string];
}

/**
 * A statement, or a part of one, that may be emitted: only `Statements.guarded` makes them, so that nothing goes
 * around the engine's safety pass.
 */
class Guarded {
  readonly #root: Sql;

  constructor(root: Sql) {
    this.#root = root;
  }

  /** The numbers of the placeholders in the order in which they stand, each once. */
  get placeholders(): readonly number[] {
    const found = new Set<number>();
    walkTree(this.#root, Fact.PLACEHOLDER, ({ kind, value }) => {
      if (kind === "placeholder") found.add(Number(value));
    });
    return [...found];
  }

  /** The text; `numberOf` says under which number a placeholder stands in it. */
  emit(spelling: Spelling, numberOf: (placeholder: number) => number): string {
    return emit(this.#root, spelling, numberOf);
  }
}

export type { Guarded };

/** Parts of a statement, a second of an engine's time to read and plan. */
const MAX_PARTS = 250_000;

/** Thrown for a statement that an engine would take too long to plan. */
export class StatementTooComplex extends Error {
  override readonly name = "StatementTooComplex";
}

/** Makes and emits an engine's statements. */
export interface Statements {
  /** Throws what the engine's safety pass throws. */
  guarded(root: Sql): Guarded;
  /** Throws `StatementTooComplex`. */
  emit(statement: Guarded, numberOf: (placeholder: number) => number): string;
}

/** An engine's statements: `guard` is its safety pass. */
export function createStatements(spelling: Spelling, guard: (root: Sql) => Sql): Statements {
  return {
    guarded: (root) => new Guarded(guard(root)),
    emit: (statement, numberOf) => statement.emit(spelling, numberOf),
  };
}

const BRACKETS = { group: ["(", ")"], list: ["[", "]"], struct: ["{", "}"] } as const;

function emit(root: Sql, spelling: Spelling, numberOf: (placeholder: number) => number): string {
  let out = "";
  let parts = 0;
  // Nodes, and what stands between and behind them, which counts too; the next one is the last.
  const left: (Sql | string)[] = [root];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (++parts > MAX_PARTS)
      throw new StatementTooComplex(`The query becomes more than ${MAX_PARTS} parts of SQL; ask for less at once`);
    if (typeof next === "string") {
      out += next;
      continue;
    }
    const { kind, token, children } = next;
    let [between, close] = ["", ""];
    switch (kind) {
      case "sequence":
      case "clock":
        between = token;
        break;
      case "call":
      case "cast":
        out += `${token}(`;
        [between, close] = [kind === "call" ? ", " : " AS ", ")"];
        break;
      case "group":
      case "list":
      case "struct":
        out += BRACKETS[kind][0];
        [between, close] = [", ", BRACKETS[kind][1]];
        break;
      case "field":
        out += `${spelling.text(token)}: `;
        break;
      case "lambda":
        out += spelling.lambda[0];
        between = spelling.lambda[1];
        break;
      case "try":
        out += "TRY(";
        close = ")";
        break;
      case "query":
        out += "SELECT ";
        break;
      case "placeholder":
        out += spelling.placeholder(numberOf(Number(next.value)), token);
        break;
      default:
        out += leafText(next, spelling);
    }
    if (close !== "") left.push(close);
    for (let index = children.length - 1; index >= 0; index--) {
      left.push(children[index] as Sql);
      if (index > 0 && between !== "") left.push(between);
    }
  }
  return out;
}

function leafText({ kind, token, value }: Sql, spelling: Spelling): string {
  if (kind === "refused") throw new Error(`A part of the statement was refused: ${token}`);
  if (kind === "literal")
    return typeof value === "string" ? spelling.text(value) : spelling.literal(value ?? null, token);
  return typeof value === "string" ? `${token}${token === "" ? "" : "."}${spelling.name(value)}` : token;
}
