import { testCatalogueOracles } from "./catalogue-oracle-tests.ts";

// All of the catalogue, in all places and on larger tables, is for `npm run security`.
testCatalogueOracles({ everySubject: 97, everyPlace: 7, rowCounts: [4_000] });
