import { isWrapped, physicalType } from "../compile/physical-types.ts";
import { MESSAGE_MARK } from "../driver/server-error.ts";
import { isComparable } from "./compare.ts";
import { literalOf } from "./literal.ts";
import type { CallContext, FunctionTable } from "./types.ts";

function coalesce(context: CallContext): string {
  const { args, type } = context;
  if (!isWrapped(type)) return `coalesce(${args.join(", ")})`;
  return args.reduceRight((rest, arg) => context.bind([arg], (each) => `if(empty(${each}), ${rest}, ${each})`));
}

function nullIf(context: CallContext): string {
  const [value = "", other = ""] = context.args;
  if (context.types.some((type) => !isComparable(type))) return context.refuse("values of this type");
  return context.bind([value], (each) => `if(ifNull(${each} = ${other}, false), NULL, ${each})`);
}

/** Fails with the message, wherever its value counts. */
function raise(context: CallContext): string {
  const message = literalOf(context, 0);
  if (message === undefined || message.includes(MESSAGE_MARK)) return context.refuse("a message that is no literal");
  return context.failIf("true", message, `CAST(NULL, '${physicalType(context.type)}')`);
}

export const conditionalFunctions: FunctionTable = {
  IF: ({ args }) => `if(${args.join(", ")})`,
  IFNULL: coalesce,
  COALESCE: coalesce,
  NULLIF: nullIf,
  ERROR: raise,
};
