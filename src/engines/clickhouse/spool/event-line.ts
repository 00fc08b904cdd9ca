/** Events of one append as a line of text, with a checksum before it, and back. */
import { createHash } from "node:crypto";
import { type EventValue, type LogEvent, WideNumber } from "../../contract/query-engine.ts";

/** The events of one append to a source. */
export interface SpooledAppend {
  readonly source: string;
  readonly events: readonly LogEvent[];
  /** Why the server refused them, where it did. */
  readonly reason?: string | undefined;
}

/** Stands before what JSON has no words for: no field that an event has is named so. */
const TAG = "#";

function toPlain(value: EventValue): unknown {
  if (typeof value === "bigint") return { [TAG]: ["integer", String(value)] };
  if (Object.is(value, -0)) return { [TAG]: ["zero"] };
  if (typeof value !== "object") return value;
  if (value instanceof WideNumber) return { [TAG]: ["wide", value.text] };
  if (Array.isArray(value)) return (value as readonly EventValue[]).map(toPlain);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toPlain(inner)]));
}

function fromPlain(plain: unknown): EventValue {
  if (Array.isArray(plain)) return plain.map(fromPlain);
  if (typeof plain !== "object" || plain === null) return plain as EventValue;
  const tagged = (plain as { readonly [TAG]?: readonly [kind: string, text: string] })[TAG];
  if (tagged === undefined) return fieldsFromPlain(plain);
  const [kind, text] = tagged;
  if (kind === "zero") return -0;
  return kind === "integer" ? BigInt(text) : new WideNumber(text);
}

function fieldsFromPlain(plain: object): LogEvent["fields"] {
  return Object.fromEntries(Object.entries(plain).map(([name, inner]) => [name, fromPlain(inner)]));
}

function checksumOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** The line, without its end. */
export function writeLine({ source, events, reason }: SpooledAppend): string {
  const rows = events.map(({ id, timestampUs, eventMessage, fields, hops }) => [
    ...[id, String(timestampUs), eventMessage],
    toPlain(fields),
    ...(hops === undefined ? [] : [hops]),
  ]);
  const text = JSON.stringify(reason === undefined ? [source, rows] : [source, rows, reason]);
  return `${checksumOf(text)} ${text}`;
}

type PlainEvent = readonly [
  id: string,
  timestampUs: string,
  eventMessage: string | null,
  fields: object,
  hops?: readonly string[],
];

/**
 * The content of the line; undefined for one that is damaged, or that another version wrote in another form. Each
 * event's id counts as its sender's, so that events stored earlier are recognized.
 */
export function readLine(line: string): SpooledAppend | undefined {
  const text = line.slice(17);
  if (line[16] !== " " || checksumOf(text) !== line.slice(0, 16)) return undefined;
  try {
    const [source, rows, reason] = JSON.parse(text) as [string, readonly PlainEvent[], string?];
    const events = rows.map(([id, timestampUs, eventMessage, fields, hops]) => ({
      ...{ id, hasGeneratedId: false, timestampUs: BigInt(timestampUs), eventMessage },
      fields: fieldsFromPlain(fields),
      ...(hops === undefined ? {} : { hops }),
    }));
    return { source, events, ...(reason === undefined ? {} : { reason }) };
  } catch {
    return undefined;
  }
}
