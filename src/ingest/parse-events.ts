import { BodyError, type EventBody, type LogEvent, type ReadEvents } from "../engines/engine.ts";
import { EventRejection } from "./clean-value.ts";
import { decompress } from "./decompress.ts";
import { defaultIngestLimits } from "./limits.ts";
import { normaliseEvent } from "./normalise-event.ts";
import { parseJson } from "./parse-json.ts";

/**
 * A request's body as events. JSON: an object is one event, an array or `{"batch":[...]}` several; NDJSON: a line each.
 * Throws `BodyError` when the body as a whole cannot be read; a single bad event is `rejected` and the others go on.
 */
export async function parseEvents(body: EventBody, limits = defaultIngestLimits): Promise<ReadEvents> {
  const bytes = await decompress(body.bytes, body.contentEncoding ?? "", body.maxBytes);
  const text = new TextDecoder().decode(bytes);
  const items = isNdjson(body.contentType) ? readLines(text) : readJson(text);
  const events: LogEvent[] = [];
  const rejected: { index: number; reason: string }[] = [];
  items.forEach((item, index) => {
    try {
      events.push(normaliseEvent(item instanceof BadLine ? item.reject() : item, body.nowUs, limits));
    } catch (error) {
      if (!(error instanceof EventRejection)) throw error;
      rejected.push({ index, reason: error.message });
    }
  });
  return { events, rejected };
}

const jsonTypes = /^(application\/(json|csp-report|[\w.+-]+\+json)|text\/(json|plain))$/;
const ndjsonTypes = /^application\/(x-ndjson|ndjson|jsonl|x-jsonlines|json-seq)$/;

function isNdjson(contentType: string | undefined): boolean {
  const mediaType = (contentType ?? "application/json").split(";")[0]?.trim().toLowerCase() ?? "";
  if (ndjsonTypes.test(mediaType)) return true;
  if (mediaType === "" || jsonTypes.test(mediaType)) return false;
  throw new BodyError(
    "unsupported_media_type",
    `Content-Type ${mediaType} is not supported; send application/json or application/x-ndjson`,
  );
}

function readJson(text: string): readonly unknown[] {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new BodyError("invalid_body", `The body is not valid JSON: ${detail.slice(0, 200)}`);
  }
  if (Array.isArray(value)) return value;
  if (typeof value !== "object" || value === null) {
    throw new BodyError(
      "invalid_body",
      'The body must be an event (a JSON object), an array of events, or {"batch":[...]}',
    );
  }
  const batch = (value as { batch?: unknown }).batch;
  return Array.isArray(batch) ? batch : [value];
}

/** A line of NDJSON that does not parse: rejected by itself, as one event. */
class BadLine {
  readonly #reason: string;

  constructor(reason: string) {
    this.#reason = reason;
  }

  reject(): never {
    throw new EventRejection(this.#reason);
  }
}

function readLines(text: string): readonly unknown[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => {
    try {
      // RFC 7464 sequences begin each record with a record separator.
      return parseJson(line.startsWith("\x1e") ? line.slice(1) : line);
    } catch {
      return new BadLine("not valid JSON");
    }
  });
}
