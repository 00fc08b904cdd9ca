import { testOutgoing } from "./outgoing-tests.ts";

testOutgoing({ seed: 20260820, tenants: 2, alerts: 6, filters: 2, tails: 3 });
