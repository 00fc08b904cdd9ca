import { testOddEvents } from "./odd-event-tests.ts";

testOddEvents(7, 0);
