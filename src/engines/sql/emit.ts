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

/** Thrown for a statement of more parts. */
export class StatementTooLong extends Error {
  override readonly name = "StatementTooLong";

  constructor() {
    super(`The query becomes more than ${MAX_PARTS} parts of SQL; ask for less at once`);
  }
}

/** Makes and emits an engine's statements. */
export interface Statements {
  guarded(root: Sql): Guarded;
  /** Throws `StatementTooLong`. */
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

/** A node that is being printed: what is left of it. */
interface Frame {
  readonly children: readonly Sql[];
  readonly separator: string;
  readonly close: string;
  /** The child that is next. */
  at: number;
}

function emit(root: Sql, spelling: Spelling, numberOf: (placeholder: number) => number): string {
  let out = "";
  let parts = 0;
  const around: Frame[] = [];
  let frame: Frame = { children: [root], separator: "", close: "", at: 0 };
  const open = (before: string, { children }: Sql, separator: string, close: string) => {
    out += before;
    // What stands between and behind the children counts too.
    parts += (separator === "" || children.length === 0 ? 0 : children.length - 1) + (close === "" ? 0 : 1);
    around.push(frame);
    frame = { children, separator, close, at: 0 };
  };
  for (;;) {
    if (frame.at === frame.children.length) {
      out += frame.close;
      const left = around.pop();
      if (left === undefined) return out;
      frame = left;
      continue;
    }
    if (++parts > MAX_PARTS) throw new StatementTooLong();
    if (frame.at > 0) out += frame.separator;
    const node = frame.children[frame.at++] as Sql;
    const { kind, token } = node;
    switch (kind) {
      case "sequence":
      case "clock":
        open("", node, token, "");
        break;
      case "call":
        open(`${token}(`, node, ", ", ")");
        break;
      case "cast":
        open(`${token}(`, node, " AS ", ")");
        break;
      case "group":
      case "list":
      case "struct":
        open(BRACKETS[kind][0], node, ", ", BRACKETS[kind][1]);
        break;
      case "field":
        open(`${spelling.text(token)}: `, node, "", "");
        break;
      case "lambda":
        open(spelling.lambda[0], node, spelling.lambda[1], "");
        break;
      case "try":
        open("TRY(", node, "", ")");
        break;
      case "query":
        open("SELECT ", node, "", "");
        break;
      case "placeholder":
        out += spelling.placeholder(numberOf(Number(node.value)), token);
        break;
      default:
        out += leafText(node, spelling);
    }
  }
}

function leafText({ kind, token, value }: Sql, spelling: Spelling): string {
  if (kind === "refused") throw new Error(`A part of the statement was refused: ${token}`);
  if (kind === "literal")
    return typeof value === "string" ? spelling.text(value) : spelling.literal(value ?? null, token);
  return typeof value === "string" ? `${token}${token === "" ? "" : "."}${spelling.name(value)}` : token;
}
