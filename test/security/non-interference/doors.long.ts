import { isWhole } from "../../support/sample-size.ts";
import { testDoors } from "./door-tests.ts";

// 8,000 requests, or 60 before a change lands; SEED sets another seed.
const size = isWhole ? { tenants: 16, requests: 8_000 } : { tenants: 8, requests: 60 };
testDoors({ seed: Number(process.env.SEED ?? 1), ...size });
