import { castTo, isWrapped } from "../compile/expression/literals.ts";
import { MESSAGE_MARK } from "../driver/server-error.ts";
import { NULL, TRUE } from "../sql/atoms.ts";
import { callSql, EMPTY, type Sql, sql } from "../sql/sql.ts";
import { isComparable } from "./comparisons.ts";
import { literalOf } from "./rows.ts";
import type { CallContext, FunctionTable } from "./types.ts";

function coalesce(context: CallContext): Sql {
  const { args, type } = context;
  if (!isWrapped(type)) return callSql("coalesce", args);
  return args.reduceRight((rest, arg) => context.bind([arg], (each) => sql`if(empty(${each}), ${rest}, ${each})`));
}

function nullIf(context: CallContext): Sql {
  const [value = EMPTY, other = EMPTY] = context.args;
  if (context.types.some((type) => !isComparable(type))) return context.refuse("values of this type");
  return context.bind([value], (each) => sql`if(ifNull(${each} = ${other}, false), NULL, ${each})`);
}

/** Fails with the message, wherever its value counts. */
function raise(context: CallContext): Sql {
  const message = literalOf(context, 0);
  if (message === undefined || message.includes(MESSAGE_MARK)) return context.refuse("a message that is no literal");
  // Of two plain NULLs the server would choose ahead, and drop what fails.
  return context.failIf(TRUE, message, sql`materialize(${castTo(NULL, context.type)})`);
}

export const conditionalFunctions: FunctionTable = {
  IF: ({ args }) => callSql("if", args),
  COALESCE: coalesce,
  NULLIF: nullIf,
  ERROR: raise,
  // The server cannot go on where one fails: for a row without elements too.
  $true_or_fails: ({ args }) => args[0] ?? EMPTY,
};
