import { testOracles } from "./oracle-tests.ts";

// `npm run security` tries every condition in every place of each table.
testOracles({ placesPerCondition: 1, everyNth: 142 });
