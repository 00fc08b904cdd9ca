import { isWhole } from "../../support/sample-size.ts";
import { testDoors } from "./door-tests.ts";

// 8,000 requests, or 40 before a change lands; SEED sets another seed.
const size = isWhole ? { tenants: 16, requests: 8_000 } : { tenants: 4, requests: 40 };
testDoors({ seed: Number(process.env.SEED ?? 1), ...size });
