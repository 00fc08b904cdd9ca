import type { ScalarFunction } from "./scalar-function.ts";

/** Functions behind `raiseError`: a call fails the query with its argument as message. */
export const errorFunctions: readonly ScalarFunction[] = [
  {
    name: "lw_fail",
    parameters: ["STRING"],
    returns: "INT64",
    acceptsNull: true,
    call: (message) => {
      throw new Error(String(message));
    },
  },
];
