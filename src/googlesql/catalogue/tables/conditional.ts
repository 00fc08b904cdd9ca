import type { FunctionDefinition } from "../types.ts";

function row(name: string, summary: string, signatures: readonly string[], area = "conditional"): FunctionDefinition {
  return { name, kind: "scalar", signatures, area, summary };
}

/** The "Conditional expressions" and "Debugging functions" pages of the reference. */
export const conditionalFunctions: readonly FunctionDefinition[] = [
  row("COALESCE", "The first argument that is not NULL; later ones are not evaluated", ["(T, T...) -> T"]),
  row("IF", "The second argument if the first is TRUE, otherwise the third; the other one is not evaluated", [
    "(BOOL, T, T) -> T",
  ]),
  row("IFNULL", "The first argument, or the second if it is NULL", ["(T, T) -> T"]),
  row("NULLIF", "NULL if both arguments are equal, otherwise the first", ["(T COMPARABLE, T) -> T"]),
];
