import { testNonInterference } from "./non-interference-tests.ts";

// 20,000 calls; LOGWEIR_TEST_SEED sets another seed for each run of the suite.
const seed = Number(process.env.LOGWEIR_TEST_SEED ?? 1);
testNonInterference({
  seed,
  rounds: 10,
  tenantsPerRound: 200,
  queriesPerTenant: 10,
  crowdedFrom: { edge: 4, function: 2 },
});
