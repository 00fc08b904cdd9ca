import { isWhole } from "../support/sample-size.ts";
import { testCatalogueOracles } from "./catalogue-oracle-tests.ts";

testCatalogueOracles(
  isWhole
    ? { everySubject: 1, everyPlace: 1, rowCounts: [4_000, 60_000, 300_000] }
    : { everySubject: 120, everyPlace: 2, rowCounts: [4_000] },
);
