import { testContainment } from "./contain.ts";
import { resourceAttempts } from "./tables/resources.ts";

// `npm run security` tries the others: each of them may end an engine host.
const attempts = resourceAttempts.filter((_, index) => index % 30 === 0);
testContainment(
  "the service contains a query of each kind that asks for too much, and continues to answer",
  attempts,
  120_000,
);
