import { testWrittenCases } from "../../../../test/support/engines/duckdb/compile/written-cases.ts";
import { sampleOf } from "../../../../test/support/sample-size.ts";

const edges = new URL("../../../../test/support/engines/duckdb/functions/edges.json", import.meta.url);
const failures = new URL("../../../../test/support/engines/duckdb/functions/failures.json", import.meta.url);
const forms = new URL("../../../../test/support/engines/duckdb/functions/forms.json", import.meta.url);
testWrittenCases("functions answer at the edges of what they take", edges, (all) => sampleOf(all, 0.12));
testWrittenCases("functions say why they fail", failures, (all) => sampleOf(all, 0.1));
testWrittenCases("functions answer over the columns of rows", forms, (all) => sampleOf(all, 0.15));
