import { openTestTables } from "../../../../test/support/engines/duckdb/compile/test-tables.ts";
import { testWrittenCases } from "../../../../test/support/engines/duckdb/compile/written-cases.ts";
import { sampleOf } from "../../../../test/support/sample-size.ts";

const resolutions = new URL("../../../../test/support/googlesql/resolver/resolutions.json", import.meta.url);
testWrittenCases("resolved queries answer", resolutions, (all) => sampleOf(all, 0.15), openTestTables);
