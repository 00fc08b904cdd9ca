import { testWrittenCases } from "./testing/written-cases.ts";

testWrittenCases("compiled queries answer", new URL("testing/answers.json", import.meta.url));
