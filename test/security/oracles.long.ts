import { sampleSize } from "../support/sample-size.ts";
import { testOracles } from "./oracle-tests.ts";
import { oraclePlaces } from "./tables/oracles.ts";

testOracles({ placesPerCondition: Object.keys(oraclePlaces).length, everyNth: Math.round(36 / sampleSize(1, 36)) });
