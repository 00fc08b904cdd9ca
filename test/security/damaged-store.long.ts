import { testDamagedStore } from "./damaged-store.ts";

testDamagedStore({ flips: 400, rowCount: 20_000 });
