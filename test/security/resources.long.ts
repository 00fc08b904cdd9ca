import { sampleOf } from "../support/sample-size.ts";
import { testContainment } from "./contain.ts";
import { resourceAttempts } from "./tables/resources.ts";

testContainment(
  "the service contains every query that asks for too much, and continues to answer",
  sampleOf(resourceAttempts, 0),
  240_000,
);
