import { sampleSize } from "../support/sample-size.ts";
import { testDamagedStore } from "./damaged-store.ts";

testDamagedStore({ flips: sampleSize(10, 400), rowCount: sampleSize(500, 20_000) });
