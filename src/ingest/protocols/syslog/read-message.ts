import { parseIsoTimestamp } from "../../../values/iso-timestamp.ts";
import { setField } from "../message-shape.ts";
import { TimedEvent } from "../protocol.ts";

/** Names of the severities of RFC 5424, section 6.2.1, as levels. */
const levels = ["emergency", "alert", "critical", "error", "warning", "notice", "info", "debug"] as const;

const facilities = (
  "kern user mail daemon auth syslog lpr news uucp cron authpriv ftp ntp audit alert clock local0 local1 " +
  "local2 local3 local4 local5 local6 local7"
).split(" ");

interface Message {
  readonly timestamp?: string | undefined;
  readonly us?: bigint | undefined;
  readonly host?: string | undefined;
  readonly app?: string | undefined;
  readonly process?: string | undefined;
  readonly messageId?: string | undefined;
  readonly structured?: object | undefined;
  readonly text: string;
}

/**
 * One message of syslog: RFC 5424, RFC 3164 and what is sent in its name, as an event. What has no priority, or
 * nothing that can be read behind it, is a text. `nowUs` shows the year that RFC 3164 leaves out.
 */
export function readSyslogMessage(line: string, nowUs: bigint): TimedEvent {
  const [whole, digits] = /^<(\d{1,3})>/.exec(line) ?? [];
  const priority = Number(digits);
  if (whole === undefined || priority > 191) return toEvent(undefined, { text: line });
  const rest = line.slice(whole.length);
  return toEvent(priority, readNew(rest) ?? readOld(rest, nowUs));
}

function toEvent(priority: number | undefined, message: Message): TimedEvent {
  const { timestamp, us, host, app, process, messageId, structured, text } = message;
  const level = priority === undefined ? undefined : levels[priority & 7];
  const fields = {
    level,
    facility: priority === undefined ? undefined : facilities[priority >>> 3],
    priority,
    host,
    app,
    process,
    message_id: messageId,
    structured_data: structured,
  };
  const metadata = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const event = {
    event_message: text,
    metadata,
    ...(us === undefined && timestamp !== undefined ? { timestamp } : {}),
  };
  return new TimedEvent(event, us);
}

const newHeader = /^1 (\S{1,48}) (\S{1,255}) (\S{1,48}) (\S{1,128}) (\S{1,32}) ?/;

/** RFC 5424. Heroku leaves out the structured data: what stands there is the text then. */
function readNew(rest: string): Message | undefined {
  const match = newHeader.exec(rest);
  if (match === null) return undefined;
  const [header, time = "-", host, app, process, messageId] = match;
  const { structured, end } = readStructuredData(rest, header.length);
  // A text in UTF-8 begins with a byte order mark; rsyslog puts one space before what came to it as RFC 3164.
  const text = rest.slice(end).replace(/^ ?\ufeff?(?: (?=\S))?/, "");
  return {
    ...readTime(time),
    host: some(host),
    app: some(app),
    process: some(process),
    messageId: some(messageId),
    structured,
    text,
  };
}

function some(value: string | undefined): string | undefined {
  return value === "-" ? undefined : value;
}

function readTime(time: string): Pick<Message, "us" | "timestamp"> {
  return time === "-" ? {} : { timestamp: time, us: parseIsoTimestamp(time)?.us };
}

/** The elements `[id name="value" ...]` from a place on, as an object by id; `-` for none. Works in one pass. */
function readStructuredData(text: string, start: number): { readonly structured?: object; readonly end: number } {
  if (text[start] === "-" && (text[start + 1] ?? " ") === " ") return { end: start + 1 };
  const elements: { [id: string]: unknown } = {};
  let at = start;
  const id = /\[([^ =\]"]{1,64})/y;
  const parameter = / ([^ =\]"]{1,64})="([^"\\\]]*(?:\\[\s\S][^"\\\]]*)*)"/y;
  while (text[at] === "[") {
    id.lastIndex = at;
    const name = id.exec(text)?.[1];
    if (name === undefined) return { end: start };
    const values: { [name: string]: unknown } = {};
    parameter.lastIndex = id.lastIndex;
    let end = id.lastIndex;
    for (let found = parameter.exec(text); found !== null; found = parameter.exec(text)) {
      setField(values, found[1] ?? "", (found[2] ?? "").replaceAll(/\\(["\\\]])/g, "$1"));
      end = parameter.lastIndex;
    }
    if (text[end] !== "]") return { end: start };
    setField(elements, name, Object.keys(values).length === 0 ? true : values);
    at = end + 1;
  }
  return at === start ? { end: start } : { structured: elements, end: at };
}

const months = "JanFebMarAprMayJunJulAugSepOctNovDec";
const oldTime =
  /^([A-Z][a-z]{2}) {1,2}(\d{1,2}) (?:(\d{4}) )?(\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?)(?: (?:[A-Z]{3,4}|([+-]\d{2}:?\d{2})))?:? /;
const newTime = /^(\d{4}-\d{2}-\d{2}T\S{8,40}) /;
const tag = /^([\w./@-]{1,100})(?:\[([^\]]{1,100})\])?: ?/;

/** RFC 3164, also with the time of RFC 3339 that newer daemons write. */
function readOld(rest: string, nowUs: bigint): Message {
  const match = oldTime.exec(rest) ?? newTime.exec(rest);
  if (match === null) return readTag(rest);
  const time = match[0];
  const us = match.length > 2 ? readOldTime(match, nowUs) : parseIsoTimestamp(match[1] ?? "")?.us;
  const behind = rest.slice(time.length);
  // The local forms of logger and others leave the host out.
  const [whole, host] = tag.test(behind) ? ["", undefined] : (/^(\S{1,255}) /.exec(behind) ?? ["", undefined]);
  return { timestamp: time.trim(), us, host: some(host), ...readTag(behind.slice(whole.length)) };
}

function readTag(text: string): Message {
  const [whole, app, process] = tag.exec(text) ?? [];
  if (whole === undefined) return { text };
  return { app, process, text: text.slice(whole.length) };
}

/**
 * The year is the one that brings the time nearest to now: a message of December that comes in January is of last
 * year. Without an offset it is UTC.
 */
function readOldTime(match: RegExpExecArray, nowUs: bigint): bigint | undefined {
  const [, monthName = "", day = "", year, clock, offset = "Z"] = match;
  // The capital of its pattern lets a name be found at the beginning of a month's only.
  const month = months.indexOf(monthName) / 3 + 1;
  if (month < 1) return undefined;
  const inYear = (each: number | string) => {
    const date = `${each}-${String(month).padStart(2, "0")}-${day.padStart(2, "0")}`;
    return parseIsoTimestamp(`${date}T${clock}${offset}`)?.us;
  };
  if (year !== undefined) return inYear(year);
  const thisYear = new Date(Number(nowUs / 1000n)).getUTCFullYear();
  const candidates = [thisYear - 1, thisYear, thisYear + 1].map(inYear).filter((us) => us !== undefined);
  const distance = (us: bigint) => (us > nowUs ? us - nowUs : nowUs - us);
  return candidates.sort((a, b) => Number(distance(a) - distance(b)))[0];
}
