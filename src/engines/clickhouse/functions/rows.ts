/** Makes rows of the tables from what prints a call. */
import type { CallExpr } from "../../../googlesql/resolved.ts";
import type { SqlType } from "../../../googlesql/types.ts";
import type { Sql } from "../sql/sql.ts";
import type { CallContext, PrintCall } from "./types.ts";

/** The argument's value if it is a literal; undefined if it is NULL, missing or another expression. */
export function literalOf({ call }: { readonly call: CallExpr }, index: number): string | undefined {
  const argument = call.arguments[index];
  return argument?.kind === "Literal" && argument.value !== null ? argument.value : undefined;
}

/** A call over its arguments, each of which is computed once and has a name. */
export function named(print: (context: CallContext, ...args: Sql[]) => Sql): PrintCall {
  return (context) => context.bind(context.args, (...names) => print(context, ...names));
}

/** A call that is refused unless it returns the type. */
export function returning(kind: SqlType["kind"], print: PrintCall): PrintCall {
  return (context) => {
    return context.type.kind === kind ? print(context) : context.refuse(`values of the type ${context.type.kind}`);
  };
}

/** A call that is refused if an argument is of the type. */
function without(kind: "STRING" | "BYTES", print: PrintCall): PrintCall {
  return (context) => {
    return context.types.some((type) => type.kind === kind)
      ? context.refuse(`values of the type ${kind}`)
      : print(context);
  };
}

/** Where the function takes BYTES too. */
export const textOnly = (print: PrintCall): PrintCall => without("BYTES", print);
/** Where the function takes STRING too. */
export const bytesOnly = (print: PrintCall): PrintCall => without("STRING", print);
