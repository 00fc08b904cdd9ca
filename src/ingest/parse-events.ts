import {
  BodyError,
  type EventBody,
  type LogEvent,
  type ReadEvents,
  type RejectedEvent,
} from "../engines/contract/query-engine.ts";
import { cutText } from "../shared/errors.ts";
import { CleanNames, EventRejection } from "./clean-value.ts";
import { countAny, EventCount } from "./event-count.ts";
import { defaultIngestLimits } from "./limits.ts";
import { MadeIds } from "./made-ids.ts";
import { type Normalising, normaliseEvent, whyNoEvent } from "./normalise-event.ts";
import { refuseType } from "./protocols/bodies.ts";
import { protocols } from "./protocols/index.ts";
import { ownForm } from "./protocols/own-form.ts";
import { BadEvent, type Protocol, TimedEvent } from "./protocols/protocol.ts";
import { measureEvents } from "./quotas/measure-events.ts";
import { unpackBody } from "./unpack-body.ts";

/**
 * A request's body as events, in the format of its protocol. Throws `BodyError` when the body as a whole cannot be
 * read or holds more than `maxEvents`; a single bad event is `rejected` and the others are accepted, if the protocol can report this to its sender.
 */
export async function parseEvents(body: EventBody, limits = defaultIngestLimits): Promise<ReadEvents> {
  const protocol = findProtocol(body.protocol);
  const mediaType = mediaTypeOf(body.contentType);
  // An empty message of protocol buffers comes without a type.
  const isNothing = body.bytes.length === 0 && mediaType === "";
  if (!isNothing && !protocol.mediaTypes.pattern.test(mediaType)) refuseType(mediaType, protocol.mediaTypes);
  const bytes = await unpackBody(body.bytes, body, body.maxBytes);
  const { maxEvents, ...rest } = body;
  const count = maxEvents === undefined ? countAny() : new EventCount(maxEvents);
  const raw = protocol.read({ ...rest, bytes, mediaType, count });
  // A reader that does not count is caught here, before anything else is done with its events.
  if (count.events < raw.items.length) count.add(raw.items.length - count.events);
  const { all, ...read } = normaliseAll(raw.items, { nowUs: body.nowUs, limits, ids: new MadeIds(body.id) });
  refuseHalf(protocol, read.rejected);
  const loads = body.measure === undefined ? undefined : measureEvents(read.events, body.measure);
  const { hops } = body;
  const events = hops === undefined ? read.events : read.events.map((event) => ({ ...event, hops }));
  return { ...read, events, receipt: raw.describe?.(all), ...(loads === undefined ? {} : { loads }) };
}

/** Events of no body, as a protocol without one brings them. */
export function readEvents(items: readonly unknown[], nowUs: bigint, limits = defaultIngestLimits): ReadEvents {
  const { all: _, ...read } = normaliseAll(items, { nowUs, limits, ids: new MadeIds() });
  return read;
}

/** The maximum number of bad events that an answer lists. */
const maxRejected = 10_000;

function tooManyBad([first]: readonly RejectedEvent[]): BodyError {
  const example = first === undefined ? "" : `; event ${first.index} is ${first.reason}`;
  return new BodyError(
    "invalid_body",
    `More than ${maxRejected} events of the body cannot be stored${example}`,
    first?.index,
  );
}

/** Each item as an event, or undefined with the reason among the rejected. */
function normaliseAll(items: readonly unknown[], rules: Pick<Normalising, "nowUs" | "limits" | "ids">) {
  const normalising: Normalising = { ...rules, tally: { untimed: 0 }, cleanNames: new CleanNames() };
  const rejected: RejectedEvent[] = [];
  const reject = (index: number, reason: string) => {
    rejected.push({ index, reason: cutText(reason) });
    if (rejected.length > maxRejected) throw tooManyBad(rejected);
    return undefined;
  };
  const all = items.map((item, index): LogEvent | undefined => {
    const value = item instanceof TimedEvent ? item.value : item;
    // Reported without exceptions, of which a body could cause millions.
    const why = item instanceof BadEvent ? item.reason : whyNoEvent(value);
    if (why !== undefined) return reject(index, why);
    try {
      return normaliseEvent(value, index, normalising, item instanceof TimedEvent ? item.timestampUs : undefined);
    } catch (error) {
      if (error instanceof EventRejection) return reject(index, error.message);
      throw error;
    }
  });
  const events = rejected.length === 0 ? (all as readonly LogEvent[]) : all.filter((event) => event !== undefined);
  return { all, events, rejected, untimed: normalising.tally.untimed };
}

function findProtocol(name = ownForm.name): Protocol {
  const protocol = protocols.get(name);
  if (protocol === undefined) throw new Error(`There is no protocol ${name}`);
  return protocol;
}

/** The media type of a Content-Type header, in lower case and without parameters. */
export function mediaTypeOf(contentType: string | undefined): string {
  // Some clients send the header twice, which arrives as a list.
  return (contentType ?? "")
    .replace(/[;,].*/s, "")
    .trim()
    .toLowerCase();
}

function refuseHalf({ isAtomic }: Protocol, [first]: readonly RejectedEvent[]): void {
  if (first === undefined || isAtomic !== true) return;
  throw new BodyError(
    "invalid_body",
    `Event ${first.index} of the body cannot be stored: ${first.reason}`,
    first.index,
  );
}
