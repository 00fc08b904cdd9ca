import { testOracles } from "./oracle-tests.ts";

// Every place of each condition is for `npm run security`.
testOracles(1);
