import { describe } from "vitest";
import { sampleSize } from "../../support/sample-size.ts";
import { testOddEvents } from "./odd-event-tests.ts";

for (let first = 0; first < sampleSize(1, 7); first++)
  describe(`every seventh from ${first} on`, () => testOddEvents(7, first));
