import { describe } from "vitest";
import { testOddEvents } from "./odd-event-tests.ts";

for (let first = 0; first < 7; first++) describe(`every seventh from ${first} on`, () => testOddEvents(7, first));
