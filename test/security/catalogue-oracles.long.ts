import { testCatalogueOracles } from "./catalogue-oracle-tests.ts";

testCatalogueOracles({ everySubject: 1, everyPlace: 1, rowCounts: [4_000, 60_000, 300_000] });
