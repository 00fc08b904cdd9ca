import type { EventValue, LogEvent, PlainBody, StoredBody } from "../engines/contract/query-engine.ts";
import { CleanNames, cleanValue, EventRejection } from "./clean-value.ts";
import { defaultIngestLimits } from "./limits.ts";
import { MadeIds } from "./made-ids.ts";
import { type Normalising, normaliseEvent, whyNoEvent } from "./normalise-event.ts";
import { mediaTypeOf } from "./parse-events.ts";
import { isJsonType } from "./protocols/bodies.ts";
import { isBatch, ownForm } from "./protocols/own-form.ts";
import { readTimestamp } from "./timestamp.ts";
import { unpackBody } from "./unpack-body.ts";

/** The depth of a list within an event, which may be so deep in it itself. */
const listLimits = { ...defaultIngestLimits, maxDepth: defaultIngestLimits.maxDepth / 2 };

/**
 * A body of JSON events whose events an engine may encode without parsing them, with the rules for it; undefined for
 * one that needs more than its rows. Rejects with `BodyError` as `parseEvents` does.
 */
export async function readPlainBody(body: StoredBody): Promise<PlainBody | undefined> {
  const { protocol, contentType, measure, hops, wantsKeys, nowUs, id, maxBytes } = body;
  const isPlain = measure === undefined && hops === undefined && !wantsKeys;
  if (!isPlain || (protocol ?? ownForm.name) !== ownForm.name || !isJsonType(mediaTypeOf(contentType)))
    return undefined;
  const bytes = await unpackBody(body.bytes, body, maxBytes);
  const [cleanNames, ids] = [new CleanNames(), new MadeIds(id)];
  const startReading = () => {
    const tally = { untimed: 0 };
    const normalising: Normalising = { nowUs, limits: defaultIngestLimits, tally, ids, cleanNames };
    return {
      nowUs,
      maxEvents: body.maxEvents ?? Number.POSITIVE_INFINITY,
      tally,
      makeId: (place: number) => ids.at(place),
      isCleanName: (name: string) => cleanNames.has(name),
      readTimestamp,
      cleanList: (list: unknown) =>
        unlessRejected<EventValue | undefined>(() => cleanValue(list, listLimits, cleanNames)),
      isEvent: (value: unknown) => typeof value === "object" && value !== null && !isBatch(value),
      normalise: (value: unknown, place: number): LogEvent | undefined =>
        whyNoEvent(value) === undefined
          ? (unlessRejected(() => normaliseEvent(value, place, normalising)) ?? undefined)
          : undefined,
    };
  };
  return { bytes, startReading };
}

function unlessRejected<Result>(work: () => Result): Result | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof EventRejection) return null;
    throw error;
  }
}
