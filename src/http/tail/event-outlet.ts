import type { FastifyReply } from "fastify";
import { placeAt, type ResumePlace } from "../../endpoints/tail/resume-place.ts";
import { layOutOnce, type TailForm, type TailOutlet } from "./tail-stream.ts";

/** How long after it was stored an event may still be on its way to a follower. */
const onItsWayUs = 600_000_000n;

/**
 * An answer of Server-Sent Events; its head is written once the stream begins. A block of an id alone is no event, but
 * where a client resumes (HTML, section 9.2.6): each heartbeat is one.
 */
export function openEvents(
  reply: Pick<FastifyReply, "raw" | "header" | "getHeaders" | "hijack">,
  readId: () => string,
): {
  readonly outlet: TailOutlet;
  readonly begin: () => void;
} {
  const { raw } = reply;
  const outlet: TailOutlet = {
    waitingBytes: () => raw.writableLength,
    isClosed: () => raw.destroyed,
    write: (message, taken) => void raw.write(message, taken),
    beat: () => void raw.write(`id: ${readId()}\n\n`),
    end(error) {
      raw.write(message("end", { code: error.code, message: error.message }));
      raw.end();
    },
    onClose: (callback) => void raw.once("close", callback),
  };
  const begin = () => {
    reply.header("Content-Type", "text/event-stream; charset=utf-8");
    reply.header("Cache-Control", "no-store").header("X-Accel-Buffering", "no");
    const headers = reply.getHeaders() as Record<string, string>;
    reply.hijack();
    raw.writeHead(200, headers);
    outlet.beat();
  };
  return { outlet, begin };
}

interface EventFormOptions {
  /** Makes an id of a place. */
  readonly seal: (place: ResumePlace) => string;
  /** Where a client resumes that no row was sent to. */
  readonly start: ResumePlace;
  readonly nowMs: () => number;
}

interface EventForm extends TailForm {
  /** The id with which a client resumes. */
  readonly readId: () => string;
}

/** Makes forms of Server-Sent Events, each for one client. */
export function createEventForm(): (options: EventFormOptions) => EventForm {
  const layOut = layOutOnce((rows, seal: EventFormOptions["seal"]) => [
    Buffer.from(rows.map(({ place, json }) => `id: ${seal(place)}\ndata: ${json}\n\n`).join("")),
  ]);
  return ({ seal, start, nowMs }) => {
    let place = start;
    return {
      rows(rows) {
        place = rows.at(-1)?.place ?? place;
        return layOut(rows, seal);
      },
      skipped: (count) => message("skipped", { count: count ?? null }),
      readId() {
        place = placeAt(place, BigInt(nowMs()) * 1000n - onItsWayUs);
        return seal(place);
      },
    };
  };
}

function message(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
