import { type FunctionDefinition, type FunctionFacts, NEVER_FAILS } from "../types.ts";

function row(name: string, summary: string, signatures: readonly string[], facts: FunctionFacts): FunctionDefinition {
  return { name, kind: "scalar", signatures, area: "conditional", summary, ...NEVER_FAILS, ...facts };
}

/** The "Conditional expressions" and "Debugging functions" pages of the reference. */
export const conditionalFunctions: readonly FunctionDefinition[] = [
  row("COALESCE", "The first argument that is not NULL; later ones are not evaluated", ["(T, T...) -> T"], {
    laziness: "fallback",
    answers: "all",
  }),
  row(
    "IF",
    "The second argument if the first is TRUE, otherwise the third; the other one is not evaluated",
    ["(BOOL, T, T) -> T"],
    { laziness: "choice", answers: [1, 2] },
  ),
  row("IFNULL", "The first argument, or the second if it is NULL", ["(T, T) -> T"], {
    laziness: "fallback",
    answers: "all",
  }),
  row("NULLIF", "NULL if both arguments are equal, otherwise the first", ["(T COMPARABLE, T) -> T"], { answers: [0] }),
];
