import { testNonInterference } from "./non-interference-tests.ts";

testNonInterference({
  seed: 20260820,
  rounds: 1,
  tenantsPerRound: 2,
  queriesPerTenant: 2,
  crowdedFrom: { edge: 1, function: 0 },
});
