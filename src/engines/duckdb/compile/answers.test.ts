import { testWrittenCases } from "../../../../test/support/engines/duckdb/compile/written-cases.ts";

testWrittenCases(
  "compiled queries answer",
  new URL("../../../../test/support/engines/duckdb/compile/answers.json", import.meta.url),
);
