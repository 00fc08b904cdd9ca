import type { CallExpr } from "../../../googlesql/resolved.ts";
import type { CallContext } from "./types.ts";

/** The argument's value if it is a literal; undefined if it is NULL, missing or another expression. */
export function literalOf({ call }: { readonly call: CallExpr }, index: number): string | undefined {
  const argument = call.arguments[index];
  return argument?.kind === "Literal" && argument.value !== null ? argument.value : undefined;
}

/** Refuses the call unless all arguments are of such types. */
export function requireKinds(context: CallContext, ...kinds: readonly string[]): void {
  const wrong = context.types.find((type) => !kinds.includes(type.kind) && type.kind !== "UNKNOWN");
  if (wrong !== undefined) context.refuse(`values of the type ${wrong.kind}`);
}
