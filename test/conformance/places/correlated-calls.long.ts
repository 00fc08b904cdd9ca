import { testCorrelatedCalls } from "./correlated-calls.ts";

testCorrelatedCalls({ isBrief: false });
