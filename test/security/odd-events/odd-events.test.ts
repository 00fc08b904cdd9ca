import { testOddEvents } from "./odd-event-tests.ts";

// All of them are for `npm run security`.
testOddEvents(61, 0);
