import type { Expression } from "../../googlesql/ast.ts";
import type { Span } from "../../googlesql/diagnostic.ts";
import { call } from "../../lql/sql-nodes.ts";
import type { ChCall, ChExpression } from "../clickhouse-ast.ts";
import type { Typed } from "./typed.ts";

/** A call to translate: its arguments as values, and as they are written. */
export interface CallToTranslate {
  readonly args: readonly Typed[];
  readonly written: ChCall;
  readonly span: Span;
  /** Throws `type_mismatch` at an argument. */
  refuse(message: string, at?: ChExpression): never;
  /** The text, or number, that an argument is written as. Throws where it is no literal. */
  literalText(index: number): string;
}

/** How functions of a name are translated. */
export interface FunctionRow {
  readonly minArgs: number;
  readonly maxArgs: number;
  translate(call: CallToTranslate): Typed;
}

export type FunctionRows = Readonly<Record<string, FunctionRow>>;

/** The arguments that a row takes: exactly so many, or from and to. */
export function row(args: number | readonly [number, number], translate: FunctionRow["translate"]): FunctionRow {
  const [minArgs, maxArgs] = typeof args === "number" ? [args, args] : args;
  return { minArgs, maxArgs, translate };
}

/** The argument at an index, which the row's number of arguments says is there. */
export function argument({ args, written, refuse }: CallToTranslate, index: number): Typed {
  return args[index] ?? refuse(`${written.name} has no argument ${index + 1}`);
}

/** A call of GoogleSQL's function with the same arguments. */
export function same(name: string, { args, span }: Pick<CallToTranslate, "args" | "span">): Expression {
  return call(
    name,
    args.map(({ node }) => node),
    span,
  );
}

export function anyNullable(args: readonly Typed[]): boolean {
  return args.some(({ isNullable, kind }) => isNullable || kind === "null");
}
