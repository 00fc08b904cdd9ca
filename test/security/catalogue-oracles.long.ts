import { isWhole, sampleSize } from "../support/sample-size.ts";
import { testCatalogueOracles } from "./catalogue-oracle-tests.ts";

const everyPlace = 1;
testCatalogueOracles(
  isWhole
    ? { everySubject: 1, everyPlace, rowCounts: [4_000, 60_000, 300_000] }
    : { everySubject: Math.round(20 / sampleSize(1, 20)), everyPlace, rowCounts: [4_000] },
);
