import { testCatalogueOracles } from "./catalogue-oracle-tests.ts";

// `npm run security` tries all of the catalogue, in all places and on larger tables.
testCatalogueOracles({ everySubject: 193, everyPlace: 7, rowCounts: [4_000] });
