import { testCatalogueOracles } from "./catalogue-oracle-tests.ts";

// All of the catalogue, in all places and on larger tables, is for `npm run security`.
testCatalogueOracles({ everySubject: 17, everyPlace: 5, rowCounts: [4_000] });
