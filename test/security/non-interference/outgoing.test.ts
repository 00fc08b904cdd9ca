import { testOutgoing } from "./outgoing-tests.ts";

testOutgoing({ seed: 20260820, tenants: 2, alerts: 12, filters: 3, tails: 6 });
