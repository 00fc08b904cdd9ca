import { sampleOf } from "../../../../test/support/sample-size.ts";
import { testWrittenCases } from "../compile/testing/written-cases.ts";

const edges = new URL("testing/edges.json", import.meta.url);
const failures = new URL("testing/failures.json", import.meta.url);
testWrittenCases("functions answer at the edges of what they take", edges, (all) => sampleOf(all, 0.25));
testWrittenCases("functions say why they fail", failures, (all) => sampleOf(all, 0.2));
