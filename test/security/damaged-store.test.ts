import { testDamagedStore } from "./damaged-store.ts";

testDamagedStore({ flips: 10, rowCount: 500 });
