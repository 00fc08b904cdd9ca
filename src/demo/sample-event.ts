import type { Random } from "./random.ts";

/** An event as a client would send it. */
export type SampleEvent = { readonly [field: string]: unknown };

/** Makes one event of a source at a time (ISO 8601). */
export type MakeSampleEvent = (random: Random, timestamp: string) => SampleEvent;
