import { testWrittenCases } from "../compile/testing/written-cases.ts";

testWrittenCases("functions answer at the edges of what they take", new URL("testing/edges.json", import.meta.url));
testWrittenCases("functions say why they fail", new URL("testing/failures.json", import.meta.url));
