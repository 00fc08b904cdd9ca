import { sampleSize } from "../../support/sample-size.ts";
import { testDoors } from "./door-tests.ts";

// 8,000 requests, or 400 before a change lands; SEED sets another seed.
testDoors({ seed: Number(process.env.SEED ?? 1), tenants: sampleSize(8, 16), requests: sampleSize(400, 8_000) });
