import type { MakeSampleEvent } from "./sample-event.ts";
import { makeEdge, makeFunctionEdge, makeRest, makeStorage } from "./sample-requests.ts";
import { makeAuth, makeDb, makeFunction, makePooler, makeRealtime } from "./sample-service-logs.ts";

/** One maker a source, with the source's share of all sample events. */
export const sampleSources: readonly {
  readonly source: string;
  readonly share: number;
  readonly make: MakeSampleEvent;
}[] = [
  { source: "edge", share: 0.4, make: makeEdge },
  { source: "db", share: 0.12, make: makeDb },
  { source: "function_edge", share: 0.06, make: makeFunctionEdge },
  { source: "function", share: 0.08, make: makeFunction },
  { source: "auth", share: 0.1, make: makeAuth },
  { source: "realtime", share: 0.06, make: makeRealtime },
  { source: "storage", share: 0.08, make: makeStorage },
  { source: "rest", share: 0.06, make: makeRest },
  { source: "pooler", share: 0.04, make: makePooler },
];
