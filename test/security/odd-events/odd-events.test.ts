import { testOddEvents } from "./odd-event-tests.ts";

// `npm run security` tries all of them.
testOddEvents(89, 0);
