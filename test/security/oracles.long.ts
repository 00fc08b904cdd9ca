import { testOracles } from "./oracle-tests.ts";
import { oraclePlaces } from "./tables/oracles.ts";

testOracles({ placesPerCondition: Object.keys(oraclePlaces).length, everyNth: 1 });
