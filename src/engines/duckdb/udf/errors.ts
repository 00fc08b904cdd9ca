import type { ScalarUdf } from "./udf.ts";

/** What `raiseError` prints a call of: it fails the query with its argument as message. */
export const errorUdfs: readonly ScalarUdf[] = [
  {
    name: "lw_fail",
    parameters: ["VARCHAR"],
    returns: "BIGINT",
    acceptsNull: true,
    call: (message) => {
      throw new Error(String(message));
    },
  },
];
