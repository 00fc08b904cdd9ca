import { defineUdf, type ScalarUdf } from "./udf.ts";

/** Joins texts by a delimiter that need not be constant; NULLs are left out. */
export const joinUdfs: readonly ScalarUdf[] = [
  defineUdf("lw_join", ["VARCHAR[]", "VARCHAR"], "VARCHAR", (texts, delimiter) =>
    texts.filter((text) => text !== null).join(delimiter),
  ),
];
