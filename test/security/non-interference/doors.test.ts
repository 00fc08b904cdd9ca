import { testDoors } from "./door-tests.ts";

testDoors({ seed: 20260820, tenants: 2, requests: 20 });
