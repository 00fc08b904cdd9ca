import { NEVER_FAILS } from "../../googlesql/catalogue/types.ts";
import { defineFunction, type ScalarFunction } from "../scalar-function.ts";

/** Joins texts by a delimiter that need not be constant; NULLs are left out. */
export const joinFunctions: readonly ScalarFunction[] = [
  defineFunction(
    "lw_join",
    ["STRING[]", "STRING"],
    "STRING",
    (texts, delimiter) => texts.filter((text) => text !== null).join(delimiter),
    NEVER_FAILS,
  ),
];
