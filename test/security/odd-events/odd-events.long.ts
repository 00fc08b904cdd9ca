import { describe } from "vitest";
import { isWhole } from "../../support/sample-size.ts";
import { testOddEvents } from "./odd-event-tests.ts";

const step = isWhole ? 7 : 42;
for (let first = 0; first < (isWhole ? step : 1); first++) {
  describe(`every event of ${step} from ${first} on`, () => testOddEvents(step, first));
}
