import type { CallContext } from "./types.ts";

/** The text of an argument that is a STRING literal other than NULL; undefined for any other expression. */
export function literalOf({ call }: CallContext, index: number): string | undefined {
  const argument = "arguments" in call ? call.arguments[index] : undefined;
  return argument?.kind === "Literal" && argument.type.kind === "STRING" ? (argument.value ?? undefined) : undefined;
}
