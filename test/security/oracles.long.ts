import { testOracles } from "./oracle-tests.ts";
import { oraclePlaces } from "./tables/oracles.ts";

testOracles(Object.keys(oraclePlaces).length);
