import { testGeneratedCases } from "./generated-cases.ts";

// All of them are for `npm run security`.
testGeneratedCases(30);
