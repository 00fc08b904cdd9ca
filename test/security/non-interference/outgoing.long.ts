import { sampleSize } from "../../support/sample-size.ts";
import { testOutgoing } from "./outgoing-tests.ts";

// SEED sets another seed.
testOutgoing({
  ...{ seed: Number(process.env.SEED ?? 1), tenants: sampleSize(3, 12), alerts: sampleSize(16, 600) },
  ...{ filters: sampleSize(4, 30), tails: sampleSize(8, 200) },
});
