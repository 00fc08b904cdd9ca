import { testOracles } from "./oracle-tests.ts";

// Every condition in every place of each table is for `npm run security`.
testOracles({ placesPerCondition: 1, everyNth: 24 });
