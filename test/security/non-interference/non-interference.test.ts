import { testNonInterference } from "./non-interference-tests.ts";

testNonInterference({
  seed: 20260820,
  rounds: 1,
  tenantsPerRound: 3,
  queriesPerTenant: 4,
  crowdedFrom: { edge: 1, function: 0 },
});
