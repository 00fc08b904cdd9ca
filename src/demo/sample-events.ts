import { breakRequest, breakStatement, incident, makeDeploy } from "./incident.ts";
import type { Random } from "./random.ts";
import type { MakeSampleEvent, SampleEvent } from "./sample-event.ts";
import { makeEdge, makeFunctionEdge, makeRest, makeStorage } from "./sample-requests.ts";
import { makeAuth, makeDb, makeFunction, makePooler, makeRealtime } from "./sample-service-logs.ts";

/** One maker a source, with the source's share of all sample events. */
export const sampleSources: readonly {
  readonly source: string;
  readonly share: number;
  readonly make: MakeSampleEvent;
  /** Makes the event with which the day's incident begins. */
  readonly makeCause?: MakeSampleEvent;
  /** Makes those after it, if it touches the source. */
  readonly makeBroken?: MakeSampleEvent;
}[] = [
  { source: "edge", share: 0.4, make: makeEdge, makeBroken: (...of) => breakRequest(makeEdge(...of)) },
  {
    ...{ source: "db", share: 0.12, make: makeDb, makeCause: makeDeploy },
    makeBroken: (...of) => breakStatement(makeDb(...of)),
  },
  { source: "function_edge", share: 0.06, make: makeFunctionEdge },
  { source: "function", share: 0.08, make: makeFunction },
  { source: "auth", share: 0.1, make: makeAuth },
  { source: "realtime", share: 0.06, make: makeRealtime },
  { source: "storage", share: 0.08, make: makeStorage },
  { source: "rest", share: 0.06, make: makeRest },
  { source: "pooler", share: 0.04, make: makePooler },
];

const dayMs = 86_400_000;

/** So many events of a source over the day that ends at a time, oldest first, and the same for the same generator. */
export function* makeDay(
  { make, makeCause, makeBroken = make }: (typeof sampleSources)[number],
  random: Random,
  count: number,
  endMs: number,
): Generator<SampleEvent> {
  const deployMs = endMs - incident.ageMs;
  let makeNext = makeCause;
  for (let index = 0; index < count; index++) {
    const timeMs = endMs - dayMs * (1 - (index + random.next()) / count);
    const isAfter = timeMs > deployMs;
    if (isAfter && makeNext !== undefined) {
      yield makeNext(random, new Date(deployMs).toISOString());
      makeNext = undefined;
    } else yield (isAfter ? makeBroken : make)(random, new Date(timeMs).toISOString());
  }
}
