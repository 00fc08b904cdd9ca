import { testGeneratedCases } from "./generated-cases.ts";

testGeneratedCases(1);
