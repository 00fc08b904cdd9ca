import { BodyError } from "../../engines/contract/query-engine.ts";
import { anyText } from "./bodies.ts";
import { setField } from "./message-shape.ts";
import { type Protocol, type ProtocolBody, TimedEvent } from "./protocol.ts";

const levels = ["emergency", "alert", "critical", "error", "warning", "notice", "info", "debug"] as const;
const levelsByPriority = new Map<string, string>(levels.map((level, priority) => [String(priority), level]));
const lineFeed = 10;

/**
 * The journal's export format, as systemd-journal-upload sends it: https://systemd.io/JOURNAL_EXPORT_FORMATS. An
 * entry's cursor is its id.
 */
export const journald: Protocol = {
  name: "journald",
  mediaTypes: {
    pattern: new RegExp(`${anyText.pattern.source}|^application/vnd\\.fdo\\.journal$`),
    advice: "application/vnd.fdo.journal",
  },
  read: (body: ProtocolBody) => ({ items: readEntries(body).map(toEvent) }),
};

type Entry = { [field: string]: unknown };

function readEntries({ bytes, count }: ProtocolBody): readonly Entry[] {
  const entries: Entry[] = [];
  let entry: Entry = {};
  let isEmpty = true;
  const close = () => {
    if (!isEmpty) {
      count.add();
      entries.push(entry);
    }
    entry = {};
    isEmpty = true;
  };
  for (let at = 0; at < bytes.length; ) {
    const { name, value, next } = readField(bytes, at);
    at = next;
    if (name === "") close();
    else {
      addField(entry, name, value);
      isEmpty = false;
    }
  }
  close();
  return entries;
}

interface Field {
  /** Empty for the line between entries. */
  readonly name: string;
  readonly value: string;
  readonly next: number;
}

/** `NAME=text`, or `NAME`, eight bytes of length and as many bytes, each with a line feed behind it. */
function readField(bytes: Uint8Array, at: number): Field {
  const found = bytes.indexOf(lineFeed, at);
  const end = found < 0 ? bytes.length : found;
  const line = decode(bytes.subarray(at, end));
  const equals = line.indexOf("=");
  if (line === "" || equals > 0) return { name: line.slice(0, equals), value: line.slice(equals + 1), next: end + 1 };
  const start = end + 9;
  if (start > bytes.length || equals === 0) throw broken(line, at);
  const length = Buffer.from(bytes.buffer, bytes.byteOffset + end + 1, 8).readBigUInt64LE();
  if (length > BigInt(bytes.length - start)) throw broken(line, at);
  const next = start + Number(length);
  return { name: line, value: decode(bytes.subarray(start, next)), next: next + 1 };
}

function broken(line: string, at: number): BodyError {
  const text = JSON.stringify(line.slice(0, 60));
  return new BodyError(
    "invalid_body",
    `The body is not in the journal's export format: ${text} at byte ${at} is no field`,
  );
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** A field may come several times. */
function addField(entry: Entry, name: string, value: string): void {
  const before = Object.hasOwn(entry, name) ? entry[name] : undefined;
  if (before === undefined) setField(entry, name, value);
  else if (Array.isArray(before)) before.push(value);
  else setField(entry, name, [before, value]);
}

function toEvent(entry: Entry): TimedEvent {
  const { MESSAGE, __CURSOR, __REALTIME_TIMESTAMP: time, PROJECT, ...fields } = entry;
  const level = typeof fields.PRIORITY === "string" ? levelsByPriority.get(fields.PRIORITY) : undefined;
  const us = typeof time === "string" && /^\d{1,18}$/.test(time) ? BigInt(time) : undefined;
  return new TimedEvent(
    {
      ...(typeof __CURSOR === "string" ? { id: __CURSOR } : {}),
      ...(MESSAGE === undefined ? {} : { event_message: MESSAGE }),
      ...(us === undefined && time !== undefined ? { timestamp: time } : {}),
      ...(PROJECT === undefined ? {} : { project: PROJECT }),
      metadata: { ...(level === undefined ? {} : { level }), ...fields },
    },
    us,
  );
}
